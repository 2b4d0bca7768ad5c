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
