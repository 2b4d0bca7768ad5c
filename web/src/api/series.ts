/** Fetches series; charts that come into view together share one request. */
import { unpack, type Points } from '../data/packed.ts';
import { getBinary } from './client.ts';

export interface Wanted {
  run: string;
  x: string;
  from: number | null;
  to: number | null;
  buckets: number;
}

interface Waiting {
  wanted: Wanted;
  keys: Set<string>;
  answers: { keys: string[]; resolve: (points: Points[]) => void; reject: (error: unknown) => void }[];
}

const TOGETHER_MS = 15;
const KEYS_AT_ONCE = 40;
const waiting = new Map<string, Waiting>();

export function fetchSeries(wanted: Wanted, keys: string[]): Promise<Points[]> {
  const id = JSON.stringify(wanted);
  let batch = waiting.get(id);
  if (!batch || batch.keys.size + keys.length > KEYS_AT_ONCE) {
    const opened: Waiting = { wanted, keys: new Set(), answers: [] };
    batch = opened;
    waiting.set(id, opened);
    setTimeout(() => {
      if (waiting.get(id) === opened) waiting.delete(id);
      void send(opened);
    }, TOGETHER_MS);
  }
  const joined = batch;
  for (const key of keys) joined.keys.add(key);
  return new Promise((resolve, reject) => joined.answers.push({ keys, resolve, reject }));
}

async function send(batch: Waiting): Promise<void> {
  const { run, x, from, to, buckets } = batch.wanted;
  const keys = [...batch.keys];
  try {
    const buffer = await getBinary(`runs/${run}/series`, { name: keys, x, from, to, buckets });
    const found = new Map(unpack(buffer).map((points, i) => [keys[i] as string, points]));
    for (const answer of batch.answers) {
      answer.resolve(answer.keys.flatMap((key) => found.get(key) ?? []));
    }
  } catch (error) {
    for (const answer of batch.answers) answer.reject(error);
  }
}
