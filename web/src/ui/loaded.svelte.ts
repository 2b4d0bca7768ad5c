/** An answer of the server that is asked for again when what it depends on changes. */
import { get, type Params } from '../api/client.ts';

export class Loaded<T> {
  value = $state.raw<T | null>(null);
  error = $state<string | null>(null);
  loading = $state(false);
  #abort: AbortController | null = null;

  /** Keeps showing the old value until the new one is there. */
  async load(path: string, params: Params = {}): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.loading = true;
    try {
      this.value = await get<T>(path, params, abort.signal);
      this.error = null;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.error = error instanceof Error ? error.message : String(error);
    } finally {
      if (this.#abort === abort) this.loading = false;
    }
  }

  stop(): void {
    this.#abort?.abort();
  }
}
