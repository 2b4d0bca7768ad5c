/** What is new in some runs: a stamp a run that changes with its points, and a call when they were judged. */
import { live, missedSome } from '../api/live.svelte.ts';

const GATHER_MS = 700;
const REST_MS = 3000; // between two calls while points keep coming

type Timer = ReturnType<typeof setTimeout> | null;

export class News {
  stamps = $state.raw<Readonly<Record<string, number>>>({});
  #pending = new Set<string>();
  #gathering: Timer = null;
  #telling: Timer = null;
  #told = 0;
  readonly #tell: () => void;

  constructor(ids: () => string[], tell: () => void) {
    this.#tell = tell;
    $effect(() => {
      const off = live.on((event) => {
        const mine = missedSome(event) ? ids() : ids().filter((id) => id === event.run && event.type !== 'runs');
        if (!mine.length) return;
        if (event.type !== 'findings') for (const id of mine) this.#pending.add(id);
        this.#gathering ??= setTimeout(() => this.#take(), GATHER_MS);
        this.#callIn(event.type === 'findings' ? GATHER_MS : this.#told + REST_MS - performance.now());
      });
      return () => {
        off();
        for (const timer of [this.#gathering, this.#telling]) if (timer) clearTimeout(timer);
      };
    });
  }

  #take(): void {
    this.#gathering = null;
    if (!this.#pending.size) return;
    const next = { ...this.stamps };
    for (const id of this.#pending) next[id] = (next[id] ?? 0) + 1;
    this.stamps = next;
    this.#pending.clear();
  }

  #callIn(rest: number): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = null;
      this.#told = performance.now();
      this.#tell();
    }, Math.max(GATHER_MS, rest));
  }
}
