/** Many points as few buckets, as a server would send them. */
import type { Points } from '../data/packed.ts';

const RAW_SHARE = 2; // this many points a bucket are still drawn one by one

/** At most `buckets` groups of equally many neighbours, with their lowest, highest and mean. */
export function coarse(points: Points, buckets: number): Points {
  const count = points.x.length;
  if (count <= (points.raw ? RAW_SHARE : 1) * buckets) return points;
  const made = {
    x: new Float64Array(buckets),
    mean: new Float32Array(buckets),
    low: new Float32Array(buckets),
    high: new Float32Array(buckets),
    first: new Float32Array(buckets),
    last: new Float32Array(buckets),
  };
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    const begin = Math.floor((bucket * count) / buckets);
    const end = Math.floor(((bucket + 1) * count) / buckets);
    let low = Number.NaN;
    let high = Number.NaN;
    let sum = 0;
    let known = 0;
    for (let i = begin; i < end; i += 1) {
      const mean = points.mean[i] as number;
      if (Number.isNaN(mean)) continue;
      known += 1;
      sum += mean;
      if (!(low <= (points.low[i] as number))) low = points.low[i] as number;
      if (!(high >= (points.high[i] as number))) high = points.high[i] as number;
    }
    made.x[bucket] = ((points.x[begin] as number) + (points.x[end - 1] as number)) / 2;
    made.mean[bucket] = known ? sum / known : Number.NaN;
    made.low[bucket] = low;
    made.high[bucket] = high;
    made.first[bucket] = points.first[begin] as number;
    made.last[bucket] = points.last[end - 1] as number;
  }
  return { ...points, ...made, raw: false };
}
