/** The list of runs, kept up to date while a page needs it. */
import { get } from '../api/client.ts';
import { live } from '../api/live.svelte.ts';
import type { LiveEvent, RunList, RunRow } from '../api/types.ts';

const REST_MS = 1000; // between two requests, however often things change
const REST_PER_RUN_MS = 2; // long lists are large answers
const GATHER_MS = 250; // events of many live runs are taken over together

class Runs {
  list = $state.raw<RunList | null>(null);
  error = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #again = false;
  #users = 0;
  #news = new Map<string, LiveEvent>();
  #gathering: ReturnType<typeof setTimeout> | null = null;

  /** Loads now and at each change; returns how to stop that. */
  follow(): () => void {
    this.#users += 1;
    this.refresh();
    const off = live.on((event) => (event.type === 'points' ? this.#hear(event) : this.refresh()));
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

  /** New points say how far a run is; its verdict follows with the list. */
  #hear(event: LiveEvent): void {
    if (event.run) this.#news.set(event.run, event);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      if (this.list) this.list = { ...this.list, runs: this.list.runs.map((run) => grown(run, this.#news.get(run.id))) };
      this.#news.clear();
    }, GATHER_MS);
  }
}

function grown(run: RunRow, event: LiveEvent | undefined): RunRow {
  if (!event || (event.points ?? 0) <= run.points) return run;
  return {
    ...run,
    last_step: event.last_step ?? run.last_step ?? null,
    points: event.points ?? run.points,
    status: event.status ?? run.status,
    updated: Date.now() / 1000,
  };
}

export const runs = new Runs();
