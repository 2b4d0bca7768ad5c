/** What other runs have of a chart's metric: a few as lines, more of them as one range. */
import { untrack } from 'svelte';
import { get } from '../api/client.ts';
import { fetchSeries } from '../api/series.ts';
import type { RunDetail } from '../api/types.ts';
import { align, spread } from '../data/align.ts';
import type { Points } from '../data/packed.ts';
import type { Kin } from './marks.ts';

export interface Other {
  id: string;
  label: string;
  /** Whether it was not chosen but belongs to the run; such are told as a range, never one by one. */
  sibling?: boolean;
}

const BUCKETS = 200;
const MOST_LINES = 3;

const known = new Map<string, Promise<RunDetail>>();

/** Metrics and names of series that a run has over an axis. */
async function namesOf(id: string, x: string): Promise<Set<string>> {
  const asked = known.get(id) ?? get<RunDetail>(`runs/${id}`);
  known.set(id, asked);
  asked.catch(() => known.delete(id));
  const { charts, x_axes } = await asked;
  if (!x_axes.includes(x)) return new Set();
  return new Set(charts.filter((chart) => chart.kind !== 'heatmap').flatMap((chart) => [chart.metric ?? '', ...chart.names.map((one) => one.key)]));
}

export class Behind {
  #found = $state.raw<(Points | null)[]>([]);
  #others = $state.raw<Other[]>([]);
  #asked: Other[] = [];

  constructor(question: () => { others: Other[]; name: string; x: string; visible: boolean }) {
    $effect(() => {
      const { others, name, x, visible } = question();
      if (!visible || !name) return;
      untrack(() => void this.#load(others, name, x));
    });
  }

  async #load(others: Other[], name: string, x: string): Promise<void> {
    this.#asked = others;
    const found = await Promise.all(
      others.map(async ({ id }) => {
        try {
          const has = await namesOf(id, x);
          const [points] = has.has(name) ? await fetchSeries({ run: id, x, from: null, to: null, buckets: BUCKETS }, [name]) : [];
          return points ?? null;
        } catch {
          return null; // a run that cannot be read is not shown behind another
        }
      }),
    );
    if (this.#asked === others) [this.#others, this.#found] = [others, found];
  }

  get lines(): { label: string; points: Points }[] {
    return this.#others.flatMap((one, i) => {
      const points = this.#found[i];
      return points && !this.#ranged(one) ? [{ label: one.label, points }] : [];
    });
  }

  /** Siblings are a range, as are more runs than can be told apart. */
  #ranged({ sibling }: Other): boolean {
    return sibling === true || this.#others.filter((one) => !one.sibling).length > MOST_LINES;
  }

  get kin(): Kin | null {
    const found = this.#found.filter((points, i) => points !== null && this.#ranged(this.#others[i] as Other)) as Points[];
    if (!found.length) return null;
    const [x, ...columns] = align(found.map((points) => ({ x: points.x, columns: [points.mean] })));
    // a run that logged at other steps stays where it was until its next one
    const held = columns.map((column) => {
      let last: number | null | undefined;
      const end = column.findLastIndex((value) => value !== undefined);
      return column.map((value, i) => (i > end ? undefined : (last = value ?? last)));
    });
    const { low, high } = spread(held);
    return { x, low: low.map((value) => value ?? Number.NaN), high: high.map((value) => value ?? Number.NaN) };
  }
}
