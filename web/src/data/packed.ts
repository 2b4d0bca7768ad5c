/** Reads the compact answer of `/api/runs/{id}/series`: a JSON header, then arrays as they lie in memory. */

/** Double precision where single would show. */
export type Values = Float32Array | Float64Array;

export interface Points {
  name: string;
  /** Points the run holds in the range asked for; `raw` says that all of them are here. */
  count: number;
  raw: boolean;
  nonfinite: number[];
  x: Float64Array;
  /** Seconds since the start, if they came along. */
  time?: Values;
  /** The values themselves when raw, else the mean of each bucket. */
  mean: Values;
  low: Values;
  high: Values;
  first: Values;
  last: Values;
}

interface ArrayEntry {
  key: string;
  dtype: string;
  offset: number;
  length: number;
}

interface SeriesEntry {
  name: string;
  count: number;
  raw: boolean;
  nonfinite?: number[];
  arrays: ArrayEntry[];
}

const MAGIC = 'RVS1';
const ALIGNMENT = 8;

export function unpack(buffer: ArrayBuffer): Points[] {
  const magic = new TextDecoder().decode(buffer.slice(0, 4));
  if (magic !== MAGIC) throw new Error('the server sent something that is not a series');
  const length = new DataView(buffer).getUint32(4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) as {
    series: SeriesEntry[];
  };
  const start = Math.ceil((8 + length) / ALIGNMENT) * ALIGNMENT;
  return header.series.map((entry) => unpackOne(entry, buffer, start));
}

function unpackOne(entry: SeriesEntry, buffer: ArrayBuffer, start: number): Points {
  const floats = (key: string): Values | undefined => {
    const found = entry.arrays.find((array) => array.key === key);
    return found && new (found.dtype === 'float64' ? Float64Array : Float32Array)(buffer, start + found.offset, found.length);
  };
  const axis = entry.arrays.find((array) => array.key === 'x');
  const x = axis ? new Float64Array(buffer, start + axis.offset, axis.length) : new Float64Array(0);
  const time = floats('time');
  const mean = floats(entry.raw ? 'value' : 'mean') ?? new Float32Array(x.length);
  return {
    name: entry.name,
    count: entry.count,
    raw: entry.raw,
    nonfinite: entry.nonfinite ?? [],
    x,
    ...(time ? { time } : {}),
    mean,
    low: floats('low') ?? mean,
    high: floats('high') ?? mean,
    first: floats('first') ?? mean,
    last: floats('last') ?? mean,
  };
}

/**
 * `older` with what was asked for from `from` on. Points at `from` are taken from the newer answer. A
 * bucket there is kept, as the newer answer may have only a part of it: nothing that it saw gets lost.
 */
export function extend(older: Points, newer: Points, from: number): Points {
  let keep = older.x.length;
  while (keep > 0 && beyond(older.x[keep - 1] as number, from, older.raw)) keep -= 1;
  let skip = 0;
  while (newer.raw && skip < newer.x.length && !beyond(newer.x[skip] as number, from, older.raw)) skip += 1;
  if (skip === newer.x.length) return older;
  const length = keep + newer.x.length - skip;
  const joined = (key: 'mean' | 'low' | 'high' | 'first' | 'last'): Values => {
    const single = older[key] instanceof Float32Array && newer[key] instanceof Float32Array;
    const all = new (single ? Float32Array : Float64Array)(length);
    all.set(older[key].subarray(0, keep));
    all.set(newer[key].subarray(skip), keep);
    return all;
  };
  const x = new Float64Array(length);
  x.set(older.x.subarray(0, keep));
  x.set(newer.x.subarray(skip), keep);
  const last = older.x[keep - 1] ?? -Infinity;
  for (let i = keep; i < length && (x[i] as number) <= last; i += 1) x[i] = from;
  return {
    name: older.name,
    count: length,
    raw: older.raw && newer.raw,
    nonfinite: [...older.nonfinite.filter((at) => at < from), ...newer.nonfinite.filter((at) => at >= from)],
    x,
    mean: joined('mean'),
    low: joined('low'),
    high: joined('high'),
    first: joined('first'),
    last: joined('last'),
  };
}

/** From where on the end of `points` may still change: its last point, or its last whole bucket. */
export function settled(points: Points): number | null {
  return points.x[points.x.length - (points.raw ? 1 : 2)] ?? null;
}

function beyond(x: number, from: number, raw: boolean): boolean {
  return raw ? x >= from : x > from;
}

/** A curve with a band around it, as points whose low and high are the band. */
export function fromCurve(
  name: string,
  x: number[],
  center: (number | null)[],
  low: (number | null)[],
  high: (number | null)[],
  /** Which of the places are wanted. */
  wanted: (place: number) => boolean = () => true,
): Points {
  const known = x.flatMap((_, i) => (center[i] === null || center[i] === undefined || !wanted(i) ? [] : [i]));
  const pick = (values: (number | null)[]): Float32Array =>
    Float32Array.from(known, (i) => values[i] ?? (center[i] as number));
  const mean = pick(center);
  return {
    name,
    count: known.length,
    raw: false,
    nonfinite: [],
    x: Float64Array.from(known, (i) => x[i] as number),
    mean,
    low: pick(low),
    high: pick(high),
    first: mean,
    last: mean,
  };
}
