/** The list of runs, kept up to date while a page needs it. */
import { get } from '../api/client.ts';
import { live } from '../api/live.svelte.ts';
import { openAhead } from '../api/opening.ts';
import type { LiveEvent, RunList } from '../api/types.ts';
import { grown, updated } from '../data/news.ts';
import { address } from './address.svelte.ts';

const REST_MS = 1000; // between two requests, however often things change
const GATHER_MS = 250; // events of many live runs are taken over together

class Runs {
  list = $state.raw<RunList | null>(null);
  error = $state<string | null>(null);
  /** When the folders were last looked through, by this machine's clock in milliseconds. */
  looked = $state<number | null>(null);
  #timer: ReturnType<typeof setTimeout> | null = null;
  #again = false;
  #users = 0;
  #news = new Map<string, LiveEvent>();
  #gathering: ReturnType<typeof setTimeout> | null = null;

  /** Loads now and at each change; returns how to stop that. */
  follow(): () => void {
    this.#users += 1;
    this.refresh();
    const off = live.on((event) => {
      if (event.type === 'looked') this.looked = Date.now();
      else if (event.type === 'points') this.#hear(event);
      else this.refresh();
    });
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
    }, REST_MS);
  }

  /** Has the folders looked through now. */
  look(): void {
    void this.#load(true);
  }

  async #load(refresh = false): Promise<void> {
    try {
      const news = await get<RunList>('runs', { since: this.list?.version, refresh: refresh ? 'true' : null });
      const [only, ...others] = this.list ? [] : news.runs;
      if (only && !only.problem && !others.length && !address.path.length) openAhead(only.id); // which the page shows instead of a list of one
      this.list = updated(this.list, news);
      this.error = null;
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
    }
  }

  #hear(event: LiveEvent): void {
    if (event.run) this.#news.set(event.run, event);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = null;
      if (this.list) this.list = { ...this.list, runs: this.list.runs.map((run) => grown(run, this.#news.get(run.id))) };
      this.#news.clear();
    }, GATHER_MS);
  }
}

export const runs = new Runs();
