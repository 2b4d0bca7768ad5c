/** Charts that come into view together share one request. */
import { unpack, type Points } from '../data/packed.ts';
import type { Params, Wanted } from './source.ts';

interface Waiting {
  wanted: Wanted;
  keys: Set<string>;
  answers: { keys: string[]; resolve: (points: Points[]) => void; reject: (error: unknown) => void }[];
}

const TOGETHER_MS = 15;
const KEYS_AT_ONCE = 40;

export class Batches {
  readonly #waiting = new Map<string, Waiting>();
  readonly #fetch: (path: string, params: Params) => Promise<ArrayBuffer>;

  constructor(fetch: (path: string, params: Params) => Promise<ArrayBuffer>) {
    this.#fetch = fetch;
  }

  /** The points of some series, in a request of their own if they are wanted at once. */
  join(wanted: Wanted, keys: string[], now = false): Promise<Points[]> {
    if (now) {
      return new Promise((resolve, reject) => void this.#send({ wanted, keys: new Set(keys), answers: [{ keys, resolve, reject }] }));
    }
    const id = JSON.stringify(wanted);
    let batch = this.#waiting.get(id);
    if (!batch || batch.keys.size + keys.length > KEYS_AT_ONCE) {
      const opened: Waiting = { wanted, keys: new Set(), answers: [] };
      batch = opened;
      this.#waiting.set(id, opened);
      setTimeout(() => {
        if (this.#waiting.get(id) === opened) this.#waiting.delete(id);
        void this.#send(opened);
      }, TOGETHER_MS);
    }
    const joined = batch;
    for (const key of keys) joined.keys.add(key);
    return new Promise((resolve, reject) => joined.answers.push({ keys, resolve, reject }));
  }

  async #send(batch: Waiting): Promise<void> {
    const { run, x, from, to, buckets } = batch.wanted;
    const keys = [...batch.keys];
    try {
      const buffer = await this.#fetch(`runs/${run}/series`, { name: keys, x, from, to, buckets });
      const found = new Map(unpack(buffer).map((points, i) => [keys[i] as string, points]));
      for (const answer of batch.answers) {
        answer.resolve(answer.keys.flatMap((key) => found.get(key) ?? []));
      }
    } catch (error) {
      for (const answer of batch.answers) answer.reject(error);
    }
  }
}
