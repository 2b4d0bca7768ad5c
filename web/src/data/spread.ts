/** Which of several series lies lowest and highest at a place, and what lies in the middle. */

export interface Extremes {
  low: { label: string; value: number };
  middle: number;
  high: { label: string; value: number };
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
