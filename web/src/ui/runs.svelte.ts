/** The list of runs, kept up to date while a page needs it. */
import { get } from '../api/client.ts';
import { live } from '../api/live.svelte.ts';
import type { RunList } from '../api/types.ts';

const REST_MS = 1000; // between two requests, however often things change
const REST_PER_RUN_MS = 2; // long lists are large answers

class Runs {
  list = $state.raw<RunList | null>(null);
  error = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #again = false;
  #users = 0;

  /** Loads now and at each change; returns how to stop that. */
  follow(): () => void {
    this.#users += 1;
    this.refresh();
    const off = live.on(() => this.refresh());
    return () => {
      this.#users -= 1;
      off();
    };
  }

  refresh(): void {
    if (this.#timer) {
      this.#again = true;
      return;
    }
    this.#again = false;
    void this.#load();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#users > 0 && (this.#again || this.list?.scanning || this.list?.judging || this.error)) this.refresh();
    }, Math.max(REST_MS, REST_PER_RUN_MS * (this.list?.runs.length ?? 0)));
  }

  async #load(): Promise<void> {
    try {
      this.list = await get<RunList>('runs');
      this.error = null;
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
  }
}

export const runs = new Runs();
