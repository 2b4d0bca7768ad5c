/** Places steps on the x axis that is shown, so that findings are shaded on any of them. */
import { source } from '../api/source.ts';
import type { Chart } from '../api/types.ts';
import type { Place } from '../data/clock.ts';

const NOWHERE: Place = () => null;

export class Clock {
  place = $state.raw<Place>((step) => step);

  constructor(question: () => { run: string; x: string; charts: Chart[] }) {
    $effect(() => {
      const { run, x, charts } = question();
      if (x === 'step') this.place = (step) => step;
      else void this.#load(run, x, charts);
    });
  }

  async #load(run: string, x: string, charts: Chart[]): Promise<void> {
    this.place = NOWHERE;
    try {
      this.place = await source().place(run, x, charts);
    } catch {
      this.place = NOWHERE; // the charts say themselves that nothing came
    }
  }
}
