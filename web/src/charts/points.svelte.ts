/** The points of one chart: fetched when it is in view, then only what is new. */
import { untrack } from 'svelte';
import { live } from '../api/live.svelte.ts';
import { fetchSeries, type Wanted } from '../api/series.ts';
import { extend, settled, type Points } from '../data/packed.ts';

const BUCKETS = 600;
const MOST = 3 * BUCKETS; // points that live additions may grow to before all is asked for anew

export interface Question {
  run: string;
  keys: string[];
  x: string;
  from: number | null;
  to: number | null;
}

export class ChartPoints {
  points = $state.raw<Points[]>([]);
  error = $state<string | null>(null);
  loading = $state(false);
  #asked = '';
  #busy = false;
  #stale = false;
  readonly #question: () => Question;
  readonly #visible: () => boolean;

  constructor(question: () => Question, visible: () => boolean) {
    this.#question = question;
    this.#visible = visible;
    $effect(() => {
      const asked = JSON.stringify(question());
      if (visible()) untrack(() => void this.#show(asked));
    });
    $effect(() => {
      const { run } = question();
      return live.on((event) => {
        if (event.type === 'points' && event.run === run) void this.#grow();
        if (event.type === 'runs' && event.run === null) this.#stale = true;
      });
    });
  }

  async #show(asked: string): Promise<void> {
    if (asked === this.#asked && !this.#stale) return;
    this.#asked = asked;
    await this.#whole();
  }

  async #whole(): Promise<void> {
    const asked = this.#asked;
    const question = this.#question();
    this.loading = true;
    this.#stale = false;
    try {
      const points = await fetchSeries(wanted(question), question.keys);
      if (asked !== this.#asked) return;
      this.points = points;
      this.error = null;
    } catch (error) {
      if (asked === this.#asked) this.error = error instanceof Error ? error.message : String(error);
    } finally {
      if (asked === this.#asked) this.loading = false;
    }
  }

  async #grow(): Promise<void> {
    if (!this.#visible()) {
      this.#stale = true;
      return;
    }
    const question = this.#question();
    if (this.#busy || this.loading || question.to !== null) return;
    const froms = this.points.map(settled);
    const from = froms.some((at) => at === null) ? null : Math.min(...(froms as number[]));
    if (from === null || !Number.isFinite(from) || this.points.some((one) => one.x.length > MOST)) {
      await this.#whole();
      return;
    }
    this.#busy = true;
    const asked = this.#asked;
    try {
      const newer = await fetchSeries({ ...wanted(question), from }, question.keys);
      if (asked !== this.#asked || newer.length !== this.points.length) return;
      this.points = this.points.map((one, i) => extend(one, newer[i] as Points, from));
    } catch {
      this.#stale = true; // asked for again with the next event or when the chart is next seen
    } finally {
      this.#busy = false;
    }
  }
}

function wanted({ run, x, from, to }: Question): Wanted {
  return { run, x, from, to, buckets: BUCKETS };
}
