/** Values of several runs side by side. */

/** How much a value differs from the first run's. */
export function relative(base: number | null, value: number | null): string {
  if (base === null || value === null || base === 0) return '';
  const change = (value - base) / Math.abs(base);
  if (change === 0) return '=';
  const sign = change > 0 ? '+' : '−';
  const size = Math.abs(change);
  if (size >= 1000) return `${sign}>1000×`;
  return size >= 10 ? `${sign}${Math.round(size)}×` : `${sign}${(size * 100).toFixed(size < 0.1 ? 1 : 0)} %`;
}
