/** Asks for what is not a series. */
import { source, type Params } from './source.ts';

export type { Params } from './source.ts';

export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Changes what the server keeps, if it was started with `--write`. */
export async function put(path: string, params: Params, content: unknown): Promise<unknown> {
  return source().put(path, params, content);
}

export async function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const early = Object.keys(params).length ? undefined : ahead.get(path);
  if (early) {
    ahead.delete(path);
    const found = await early;
    if (found !== null) return found as T;
  }
  return (await source().json(path, params, signal)) as T;
}

const ahead = new Map<string, Promise<unknown>>();
const AHEAD_MS = 3000; // an older answer is asked for again

/** Ask for what will most likely be wanted next, and then for what that shows. */
export function askAhead<T>(path: string, then: (found: T) => void): void {
  if (ahead.has(path)) return;
  const asked = source().json(path, {});
  asked.then((found) => then(found as T), () => {}); // whoever wants it asks again, and is told what is wrong
  ahead.set(path, asked.catch(() => null));
  setTimeout(() => ahead.delete(path), AHEAD_MS);
}
