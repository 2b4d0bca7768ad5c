/**
 * The points of one chart: the whole run when it comes into view, then only what is new; and where
 * that is too coarse for the range looked at, that range in detail.
 */
import { untrack } from 'svelte';
import { live, missedSome } from '../api/live.svelte.ts';
import { bucketsFor, fetchSeries } from '../api/series.ts';
import { source } from '../api/source.ts';
import type { LiveEvent } from '../api/types.ts';
import { extend, settled, type Points } from '../data/packed.ts';
import { onPaper } from '../ui/paper.svelte.ts';
import type { Zoom } from './view.ts';

const MOST = 1800; // points that live additions may grow to before all is asked for anew
const MARGIN = 0.5; // of the range looked at that is fetched on each side, for moving along

export interface Question {
  run: string;
  keys: string[];
  x: string;
  zoom: Zoom | null;
}

interface Detail extends Zoom {
  points: Points[];
  /** Whether it has all points there are, so that no look is too close. */
  raw: boolean;
}

export class ChartPoints {
  error = $state<string | null>(null);
  loading = $state(false);
  #whole = $state.raw<Points[]>([]);
  #detail = $state.raw<Detail | null>(null);
  #asked = '';
  #behind = false;
  #busy = false;
  #lastStep = -Infinity;
  readonly #question: () => Question;
  readonly #visible: () => boolean;

  constructor(question: () => Question, visible: () => boolean) {
    this.#question = question;
    this.#visible = visible;
    $effect(() => {
      const { run, keys, x } = question();
      const asked = JSON.stringify([run, keys, x]);
      if (visible()) untrack(() => void this.#show(asked));
    });
    $effect(() => {
      const { zoom } = question();
      if (zoom && visible() && this.#coarse && !covers(this.#detail, zoom)) untrack(() => void this.#closer(zoom));
    });
    $effect(() => {
      const { run } = question();
      return live.on((event) => this.#hear(event, run));
    });
  }

  get points(): Points[] {
    const { zoom } = this.#question();
    return zoom && this.#detail && covers(this.#detail, zoom) ? this.#detail.points : this.#whole;
  }

  get #coarse(): boolean {
    return this.#whole.some((one) => !one.raw);
  }

  #hear(event: LiveEvent, run: string): void {
    const again = missedSome(event);
    if (!again && (event.type !== 'points' || event.run !== run)) return;
    const step = event.last_step ?? this.#lastStep;
    if (again || step < this.#lastStep) this.#asked = ''; // a resumed run went back
    this.#lastStep = step;
    this.#behind = true;
    if (this.#visible()) void this.#show(this.#asked);
  }

  async #show(asked: string): Promise<void> {
    if (asked === '' || asked !== this.#asked) await this.#all();
    else if (this.#behind) await this.#grow();
  }

  async #all(): Promise<void> {
    const { run, keys, x } = this.#question();
    const asked = JSON.stringify([run, keys, x]);
    if (asked !== this.#asked && this.#asked !== '') [this.#whole, this.#detail] = [[], null];
    this.#asked = asked;
    this.#behind = false;
    this.loading = true;
    try {
      const wanted = { run, x, from: null, to: null, buckets: bucketsFor(keys) };
      const points = onPaper.now ? source().seriesNow(wanted, keys) : await fetchSeries(wanted, keys);
      if (asked !== this.#asked) return;
      [this.#whole, this.#detail, this.error] = [points, null, null];
      this.loading = false;
      if (this.#behind) await this.#grow();
    } catch (error) {
      if (asked !== this.#asked) return;
      this.error = error instanceof Error ? error.message : String(error);
      this.#asked = ''; // to be tried again
    } finally {
      if (asked === this.#asked || this.#asked === '') this.loading = false;
    }
  }

  async #grow(): Promise<void> {
    if (this.#busy || this.loading) return;
    const froms = this.#whole.map(settled);
    const from = froms.includes(null) ? null : Math.min(...(froms as number[]));
    if (from === null || !Number.isFinite(from) || this.#whole.some((one) => one.x.length > MOST)) {
      this.#asked = '';
      await this.#all();
      return;
    }
    this.#busy = true;
    this.#behind = false;
    const asked = this.#asked;
    const { run, keys, x } = this.#question();
    try {
      const newer = await fetchSeries({ run, x, from, to: null, buckets: bucketsFor(keys) }, keys);
      if (asked !== this.#asked || newer.length !== this.#whole.length) return;
      this.#whole = this.#whole.map((one, i) => extend(one, newer[i] as Points, from));
      if (this.#detail && this.#detail.to > from) this.#detail = null;
    } catch {
      this.#behind = true; // asked for again with the next event or when the chart is next seen
    } finally {
      this.#busy = false;
    }
  }

  async #closer(zoom: Zoom): Promise<void> {
    const asked = this.#asked;
    const { run, keys, x } = this.#question();
    const room = MARGIN * (zoom.to - zoom.from);
    const range = { from: zoom.from - room, to: zoom.to + room };
    try {
      const points = await fetchSeries({ run, x, ...range, buckets: bucketsFor(keys) * (1 + 2 * MARGIN) }, keys);
      const now = this.#question().zoom;
      if (asked !== this.#asked || !now) return;
      const detail = { ...range, points, raw: points.every((one) => one.raw) };
      if (covers(detail, now)) this.#detail = detail;
    } catch {
      // the whole run goes on being shown, less finely
    }
  }
}

function covers(detail: Detail | null, zoom: Zoom): boolean {
  if (!detail || detail.from > zoom.from || detail.to < zoom.to) return false;
  return detail.raw || detail.to - detail.from <= 2 * (1 + 2 * MARGIN) * (zoom.to - zoom.from);
}
