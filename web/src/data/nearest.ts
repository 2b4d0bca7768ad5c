/** What a pointer over many lines tells: those nearest to it first. */

export interface Near {
  /** Places of the lines, the nearest first. */
  first: number[];
  more: number;
  low: number;
  high: number;
}

export function nearest(values: (number | null)[], y: number, most: number): Near {
  const known = values.flatMap((value, place) => (value === null ? [] : [{ value, place }]));
  known.sort((a, b) => Math.abs(a.value - y) - Math.abs(b.value - y));
  const rest = known.slice(most).map(({ value }) => value);
  return { first: known.slice(0, most).map(({ place }) => place), more: rest.length, low: Math.min(...rest), high: Math.max(...rest) };
}
