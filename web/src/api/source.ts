/** Where runs come from: a server, or the page itself when it is a report. */
import type { Place } from '../data/clock.ts';
import type { Points } from '../data/packed.ts';
import type { Chart } from './types.ts';

export type Params = Record<string, string | number | string[] | null | undefined>;

export interface Wanted {
  run: string;
  x: string;
  from: number | null;
  to: number | null;
  buckets: number;
}

export interface Source {
  /** What the API says at a path, such as `runs/abc`. */
  json(path: string, params: Params, signal?: AbortSignal): Promise<unknown>;
  put(path: string, params: Params, content: unknown): Promise<unknown>;
  series(wanted: Wanted, keys: string[], now?: boolean): Promise<Points[]>;
  /** The same at once, while nothing else can be done: a page that is being printed cannot wait. */
  seriesNow(wanted: Wanted, keys: string[]): Points[];
  /** Where steps of a run lie on another axis. */
  place(run: string, x: string, charts: Chart[]): Promise<Place>;
}

let given: Source | null = null;

/** Says where everything comes from; called once, before anything is shown. */
export function provide(source: Source): void {
  given = source;
}

export function source(): Source {
  if (given === null) throw new Error('nobody said where the runs come from');
  return given;
}
