/** How a curve changed where something was found. */
import type { Points } from './packed.ts';
import { fullRange } from './range.ts';

const WIDE = 50; // the greatest of a curve over its least, from which on a logarithm shows more

/** The middle of what came before a stretch, if anything did, and of the stretch itself. */
export function beforeAndAfter({ x, mean }: Pick<Points, 'x' | 'mean'>, from: number, to: number): { before: number | null; after: number } | null {
  const before: number[] = [];
  const inside: number[] = [];
  for (let i = 0; i < x.length; i += 1) {
    const value = mean[i] as number;
    if (!Number.isFinite(value)) continue;
    if ((x[i] as number) < from) before.push(value);
    else if ((x[i] as number) <= to) inside.push(value);
  }
  const after = median(inside);
  return after === null ? null : { before: median(before), after };
}

/** Whether it is positive and spans so many sizes that only a logarithmic axis shows all of it. */
export function wide({ low, high }: Pick<Points, 'low' | 'high'>): boolean {
  const range = fullRange([low, high]);
  return range !== null && range.low > 0 && range.high / range.low > WIDE;
}

function median(values: number[]): number | null {
  const sorted = values.sort((a, b) => a - b);
  return sorted.length ? (sorted[sorted.length >> 1] as number) : null;
}
