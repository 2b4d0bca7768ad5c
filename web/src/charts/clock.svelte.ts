/** Places steps on the x axis that is shown, so that findings are shaded on any of them. */
import { fetchSeries } from '../api/series.ts';
import type { Chart } from '../api/types.ts';
import { placeOn, type Place } from '../data/clock.ts';

const BUCKETS = 5_000;
const MOST = 2 * BUCKETS; // points up to which a series comes whole

export class Clock {
  place = $state.raw<Place>((step) => step);

  constructor(question: () => { run: string; x: string; charts: Chart[] }) {
    $effect(() => {
      const { run, x, charts } = question();
      if (x === 'step') this.place = (step) => step;
      else void this.#load(run, x, densest(charts));
    });
  }

  async #load(run: string, x: string, key: string | null): Promise<void> {
    this.place = () => null;
    if (key === null) return;
    const all = { run, from: null, to: null, buckets: BUCKETS };
    try {
      const [[steps], [other]] = await Promise.all([
        fetchSeries({ ...all, x: 'step' }, [key]),
        fetchSeries({ ...all, x }, [key]),
      ]);
      if (steps?.raw && other?.raw) this.place = placeOn(steps.x, other.x);
    } catch {
      this.place = () => null; // the charts say themselves that nothing came
    }
  }
}

function densest(charts: Chart[]): string | null {
  const names = charts.filter((chart) => chart.kind !== 'heatmap').flatMap((chart) => chart.names);
  const fit = names.filter((name) => name.points <= MOST);
  return fit.reduce<(typeof fit)[number] | null>((best, name) => (best && best.points >= name.points ? best : name), null)?.key ?? null;
}
