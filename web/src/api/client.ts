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

export async function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  return (await source().json(path, params, signal)) as T;
}
