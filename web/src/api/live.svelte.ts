/** What the server says while we look: new runs, new points, new findings. Reconnects by itself. */
import type { LiveEvent } from './types.ts';

type Listener = (event: LiveEvent) => void;

const RETRY_MS = 2000;
const KINDS = ['message', 'runs', 'points', 'findings'];

class Live {
  connected = $state(false);
  /** Whether a connection was lost, which is worth a word; the first one is just not there yet. */
  lost = $state(false);
  #listeners = new Set<Listener>();
  #source: EventSource | null = null;

  start(): void {
    this.#source?.close();
    const source = new EventSource('api/events');
    this.#source = source;
    source.addEventListener('open', () => {
      const again = this.lost;
      this.connected = true;
      this.lost = false;
      if (again) this.#tell({ type: 'runs', run: null, last_step: null, points: null, status: null, version: 0 });
    });
    source.addEventListener('error', () => {
      this.connected = false;
      this.lost = true;
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.start(), RETRY_MS);
    });
    for (const kind of KINDS) {
      source.addEventListener(kind, (message) => {
        const data: unknown = (message as MessageEvent).data;
        if (typeof data === 'string' && data.startsWith('{')) this.#tell(JSON.parse(data) as LiveEvent);
      });
    }
  }

  /** Calls `listener` for every event; returns how to stop that. */
  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(event: LiveEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

export const live = new Live();
