/** Places steps on the x axis that is shown, so that findings are shaded on any of them. */
import { source } from '../api/source.ts';
import type { Chart } from '../api/types.ts';
import type { Place } from '../data/clock.ts';

const NOWHERE: Place = () => null;

export class Clock {
  place = $state.raw<Place>((step) => step);
  #shown = 'step';

  constructor(question: () => { run: string; x: string; charts: Chart[] }) {
    $effect(() => {
      const { run, x, charts } = question();
      if (x !== this.#shown) this.place = x === 'step' ? (step) => step : NOWHERE;
      this.#shown = x;
      if (x !== 'step') void this.#load(run, x, charts);
    });
  }

  /** A run that goes on is placed anew; until then its older steps stay where they are. */
  async #load(run: string, x: string, charts: Chart[]): Promise<void> {
    try {
      const place = await source().place(run, x, charts);
      if (x === this.#shown) this.place = place;
    } catch {
      if (x === this.#shown) this.place = NOWHERE; // the charts say themselves that nothing came
    }
  }
}
