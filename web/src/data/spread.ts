/** Which of several series lies lowest and highest at a place, and what lies in the middle. */

export interface Entry {
  label: string;
  ofRanks?: 'lowest' | 'median' | 'highest' | null;
  told?: boolean;
}

export interface Extremes {
  /** The label is empty where only the value is known. */
  low: { label: string; value: number };
  middle: number;
  high: { label: string; value: number };
}

/** The range that the server put together from all ranks, else that of the series themselves. */
export function rangeAt(lines: Entry[], values: (number | null)[]): Extremes | null {
  const of = (which: Entry['ofRanks']): number | null | undefined => values[lines.findIndex((line) => line.ofRanks === which)];
  if (!lines.some((line) => line.ofRanks)) return extremes(lines.map((line) => line.label), values);
  const [low, middle, high] = [of('lowest'), of('median'), of('highest')];
  if (!isNumber(low) || !isNumber(middle) || !isNumber(high)) return null;
  const named = (value: number): string => lines.find((line, i) => !line.ofRanks && values[i] === value)?.label ?? '';
  return { low: { label: named(low), value: low }, middle, high: { label: named(high), value: high } };
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function extremes(labels: string[], values: (number | null)[]): Extremes | null {
  const known = labels
    .flatMap((label, i) => (typeof values[i] === 'number' && Number.isFinite(values[i]) ? [{ label, value: values[i] }] : []))
    .sort((a, b) => a.value - b.value);
  const [low, high] = [known[0], known.at(-1)];
  if (!low || !high) return null;
  const half = known.length >> 1;
  const upper = (known[half] as typeof low).value;
  const middle = known.length % 2 ? upper : ((known[half - 1] as typeof low).value + upper) / 2;
  return { low, middle, high };
}
