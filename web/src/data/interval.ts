/** A mean over runs, and how sure it is. */

export interface Mean {
  n: number;
  mean: number;
  /** Half of the 95 % interval by Student's t; null for a single run. */
  half: number | null;
}

/** Student's t at 97.5 %, by degrees of freedom. */
const T = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11, 2.101, 2.093, 2.086,
];

function quantile(freedom: number): number {
  return T[freedom - 1] ?? 1.96 + 2.5 / freedom; // within 0.3 % from 21 on
}

export function meanOf(values: (number | null | undefined)[]): Mean | null {
  const known = values.filter((value) => typeof value === 'number' && Number.isFinite(value)) as number[];
  const n = known.length;
  if (!n) return null;
  const mean = known.reduce((sum, value) => sum + value / n, 0);
  if (n < 2) return { n, mean, half: null };
  const variance = known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { n, mean, half: quantile(n - 1) * Math.sqrt(variance / n) };
}

/** Which mean is better than all others by more than both intervals together; null if none is. */
export function clearlyBest(means: (Mean | null)[], direction: string): number | null {
  if (direction !== 'higher' && direction !== 'lower') return null;
  const sign = direction === 'higher' ? 1 : -1;
  const known = means.flatMap((mean, place) => (mean ? [{ mean, place }] : []));
  if (known.length < 2) return null;
  const best = known.reduce((one, other) => (sign * (other.mean.mean - one.mean.mean) > 0 ? other : one));
  const clear = known.every(({ mean, place }) => {
    if (place === best.place) return true;
    if (mean.half === null || best.mean.half === null) return false;
    return sign * (best.mean.mean - mean.mean) > Math.hypot(mean.half, best.mean.half);
  });
  return clear ? best.place : null;
}
