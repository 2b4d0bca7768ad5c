/** Asks for the points of series. */
import type { Points } from '../data/packed.ts';
import { live, missedSome } from './live.svelte.ts';
import { source, type Wanted } from './source.ts';

export type { Wanted } from './source.ts';

const BUCKETS = 600;
const FEW_BUCKETS = 200; // of each of many series, which are shown as one band
const MANY = 24;
const AHEAD_MS = 3000; // older points are asked for again

const ahead = new Map<string, Promise<Points>>();

export function bucketsFor(keys: string[]): number {
  return keys.length > MANY ? FEW_BUCKETS : BUCKETS;
}

/** Asks for the whole of some series that are about to be shown as lines. */
export function askSeriesAhead(run: string, keys: string[]): void {
  if (!keys.length) return;
  const wanted = { run, x: 'step', from: null, to: null, buckets: BUCKETS };
  const asked = source().series(wanted, keys, true);
  for (const [i, key] of keys.entries()) {
    const one = asked.then((found) => found[i] as Points);
    one.catch(() => {}); // whoever wants it is told
    ahead.set(named(wanted, key), one);
  }
  setTimeout(() => ahead.clear(), AHEAD_MS);
}

export async function fetchSeries(wanted: Wanted, keys: string[]): Promise<Points[]> {
  const known = keys.flatMap((key) => ahead.get(named(wanted, key)) ?? []);
  return known.length === keys.length ? Promise.all(known) : source().series(wanted, keys);
}

function named(wanted: Wanted, key: string): string {
  return JSON.stringify([wanted, key]);
}

/** What was asked for ahead lacks what is new since. */
live.on((event) => {
  if (event.type === 'points' || missedSome(event)) ahead.clear();
});
