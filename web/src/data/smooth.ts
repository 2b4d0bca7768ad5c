/** Averages that show the course of a noisy curve. */

export interface Smoothing {
  kind: 'none' | 'window' | 'ema';
  /** Share of the x range of a window, or weight of what came before. */
  amount: number;
}

const WIDEST = 0.2;
const HEAVIEST = 0.999;

/** What an address says: `0.03` is a window of 3 % of the range, `ema:0.9` an exponential average. */
export function smoothingOf(text: string | null): Smoothing {
  const ema = text?.startsWith('ema:') ?? false;
  const amount = Math.min(Number(ema ? text?.slice(4) : text) || 0, ema ? HEAVIEST : WIDEST);
  return amount > 0 ? { kind: ema ? 'ema' : 'window', amount } : { kind: 'none', amount: 0 };
}

export function smoothed(x: ArrayLike<number>, y: ArrayLike<number>, { kind, amount }: Smoothing, width: number): Float64Array {
  return kind === 'ema' ? ema(y, amount) : smooth(x, y, kind === 'window' ? amount * width : 0);
}

/** An exponential average, without the pull of its start; what is not a number is passed over. */
export function ema(y: ArrayLike<number>, weight: number): Float64Array {
  const out = new Float64Array(y.length);
  let sum = 0;
  let weights = 0;
  for (let i = 0; i < y.length; i += 1) {
    const value = y[i] as number;
    if (Number.isFinite(value)) {
      sum = weight * sum + (1 - weight) * value;
      weights = weight * weights + (1 - weight);
    }
    out[i] = weights > 0 && Number.isFinite(value) ? sum / weights : Number.NaN;
  }
  return out;
}

/**
 * A centred Gaussian average over a stretch of so much x. It does not lag behind the data as an
 * exponential average does, so that what it shows at a step happened at that step.
 */
export function smooth(x: ArrayLike<number>, y: ArrayLike<number>, width: number): Float64Array {
  const n = x.length;
  const out = new Float64Array(n);
  const sigma = width / 4;
  if (!(sigma > 0)) {
    for (let i = 0; i < n; i += 1) out[i] = y[i] as number;
    return out;
  }
  const reach = 3 * sigma;
  let from = 0;
  for (let i = 0; i < n; i += 1) {
    const centre = x[i] as number;
    while ((x[from] as number) < centre - reach) from += 1;
    let sum = 0;
    let weights = 0;
    for (let j = from; j < n && (x[j] as number) <= centre + reach; j += 1) {
      const value = y[j] as number;
      if (!Number.isFinite(value)) continue;
      const z = ((x[j] as number) - centre) / sigma;
      const weight = Math.exp(-0.5 * z * z);
      sum += weight * value;
      weights += weight;
    }
    out[i] = weights > 0 ? sum / weights : Number.NaN;
  }
  return out;
}
