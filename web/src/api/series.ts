/** Asks for the points of series. */
import type { Points } from '../data/packed.ts';
import { source, type Wanted } from './source.ts';

export type { Wanted } from './source.ts';

export function fetchSeries(wanted: Wanted, keys: string[]): Promise<Points[]> {
  return source().series(wanted, keys);
}
