/** The figures of metrics that the list shows, searches or sorts by; asked for as they are needed. */
import { get } from '../api/client.ts';
import type { ListedMetrics, RunColumns } from '../api/types.ts';
import { merged, type Figures } from '../data/figures.ts';

class RunFigures {
  known = $state.raw<Figures | null>(null);
  listed = $state.raw<ListedMetrics | null>(null);
  error = $state<string | null>(null);
  #asked = '';
  #question = '';
  #waiting = false;
  #busy = false;

  /** Has these metrics, and curves of one of them, as the list is in this version. */
  async ask(metrics: string[], curve: string | null, version: string): Promise<void> {
    const question = JSON.stringify([metrics, curve]);
    const asked = question + version;
    if (asked === this.#asked) return;
    if (this.#busy) {
      this.#waiting = true;
      return;
    }
    this.#busy = true;
    const since = question === this.#question ? this.known?.version : undefined;
    [this.#asked, this.#question] = [asked, question];
    try {
      this.known = merged(this.known, await get<RunColumns>('runs/columns', { metric: metrics, curve, since }));
      this.error = null;
    } catch (error) {
      this.#asked = ''; // so that it is asked for again with the next version of the list
      this.error = error instanceof Error ? error.message : String(error);
    } finally {
      this.#busy = false;
    }
    if (this.#waiting) {
      this.#waiting = false;
      this.again += 1;
    }
  }

  /** Changes when something was asked for while another answer was on its way. */
  again = $state(0);

  /** All metrics that there are, once somebody wants to choose one. */
  async list(): Promise<void> {
    try {
      this.listed = await get<ListedMetrics>('runs/metrics');
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
  }
}

export const figures = new RunFigures();
