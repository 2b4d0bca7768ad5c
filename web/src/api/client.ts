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
  return (await source().json(path, params, signal)) as T;
}
