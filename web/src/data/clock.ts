/** Where steps lie on another x axis, from one series that was fetched over both. */

export type Place = (step: number) => number | null;

export function placeOn(steps: ArrayLike<number>, x: ArrayLike<number>): Place {
  const n = steps.length;
  if (n === 0 || n !== x.length) return () => null;
  return (step) => {
    let low = 0;
    let high = n - 1;
    if (step <= (steps[0] as number)) return x[0] as number;
    if (step >= (steps[high] as number)) return x[high] as number;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((steps[middle] as number) <= step) low = middle;
      else high = middle;
    }
    const from = steps[low] as number;
    const share = (step - from) / ((steps[high] as number) - from || 1);
    return (x[low] as number) + share * ((x[high] as number) - (x[low] as number));
  };
}
