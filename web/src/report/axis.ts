/** Points over another axis, and a part of them. */
import { placeOn, type Place } from '../data/clock.ts';
import type { Points } from '../data/packed.ts';

const COLUMNS = ['mean', 'low', 'high', 'first', 'last'] as const;

/** The same points over other x, which may lack some and need not rise. */
export function over(points: Points, x: ArrayLike<number>): Points {
  const place = clockOf(points, x);
  const known = finite(x).sort((a, b) => (x[a] as number) - (x[b] as number));
  return {
    ...pick(points, known),
    x: Float64Array.from(known, (i) => x[i] as number),
    nonfinite: points.nonfinite.flatMap((step) => place(step) ?? []),
  };
}

/** Where steps lie on the axis, by the points whose place is known. */
export function clockOf(points: Points, x: ArrayLike<number>): Place {
  const known = finite(x);
  return placeOn(
    known.map((i) => points.x[i] as number),
    known.map((i) => x[i] as number),
  );
}

function finite(x: ArrayLike<number>): number[] {
  const known: number[] = [];
  for (let i = 0; i < x.length; i += 1) if (Number.isFinite(x[i])) known.push(i);
  return known;
}

/** What lies between two x, and one more on each side so that lines go on to the edge. */
export function cut(points: Points, from: number | null, to: number | null): Points {
  if (from === null && to === null) return points;
  const { x } = points;
  let first = 0;
  while (from !== null && first < x.length && (x[first] as number) < from) first += 1;
  let stop = first;
  while (stop < x.length && (to === null || (x[stop] as number) <= to)) stop += 1;
  first = Math.max(0, first - 1);
  stop = Math.min(x.length, stop + 1);
  const kept = Array.from({ length: stop - first }, (_, i) => first + i);
  return { ...pick(points, kept), x: x.slice(first, stop), count: kept.length };
}

function pick(points: Points, places: number[]): Points {
  const columns = COLUMNS.map((key) => [key, Float32Array.from(places, (i) => points[key][i] as number)]);
  return { ...points, ...(Object.fromEntries(columns) as Pick<Points, (typeof COLUMNS)[number]>) };
}
