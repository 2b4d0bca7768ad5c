/** What is new in some runs: a stamp a run that changes with its points, and a call when they were judged. */
import { live, missedSome } from '../api/live.svelte.ts';

const GATHER_MS = 1000;
const REST_MS = 4000; // between two calls while points keep coming

export class News {
  stamps = $state.raw<Readonly<Record<string, number>>>({});
  #pending = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #told = 0;

  constructor(ids: () => string[], tell: () => void) {
    $effect(() => {
      const off = live.on((event) => {
        if (event.type === 'runs') {
          if (missedSome(event)) this.#takeAll(ids(), tell);
          return;
        }
        if (!event.run || !ids().includes(event.run)) return;
        if (event.type === 'points') this.#pending.add(event.run);
        this.#timer ??= setTimeout(() => this.#take(tell, event.type === 'findings'), GATHER_MS);
      });
      return () => {
        off();
        if (this.#timer) clearTimeout(this.#timer);
      };
    });
  }

  #takeAll(ids: string[], tell: () => void): void {
    for (const id of ids) this.#pending.add(id);
    this.#take(tell, true);
  }

  #take(tell: () => void, judged: boolean): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#pending.size) {
      const next = { ...this.stamps };
      for (const id of this.#pending) next[id] = (next[id] ?? 0) + 1;
      this.stamps = next;
      this.#pending.clear();
    }
    if (!judged && performance.now() - this.#told < REST_MS) return;
    this.#told = performance.now();
    tell();
  }
}
