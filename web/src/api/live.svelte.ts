/** What the server says while we look: new runs, new points, new findings. Reconnects by itself. */
import type { LiveEvent } from './types.ts';

type Listener = (event: LiveEvent) => void;

const RETRY_MS = 2000;
const REST_MS = 5000;
const LATE_MS = 300;
const KINDS = ['message', 'runs', 'points', 'findings', 'looked'];

/** Whether an event says that others were missed, and all should be asked for again. */
export function missedSome(event: LiveEvent): boolean {
  return event.type === 'runs' && event.version === 0;
}

class Live {
  connected = $state(false);
  /** Whether a connection was lost, which is worth a word; the first one is just not there yet. */
  lost = $state(false);
  #listeners = new Set<Listener>();
  #source: EventSource | null = null;
  #missed = false;
  #rest = 0;
  #begun = 0;

  start(): void {
    document.addEventListener('visibilitychange', () => this.#seenOrNot());
    this.#connect();
  }

  /** Browsers allow six connections to one server: tabs in the background leave theirs to others. */
  #seenOrNot(): void {
    clearTimeout(this.#rest);
    if (document.hidden) {
      this.#rest = window.setTimeout(() => {
        this.#source?.close();
        this.#source = null;
        this.#missed = true;
      }, REST_MS);
    } else if (this.#source === null) this.#connect();
  }

  #connect(): void {
    this.#source?.close();
    const source = new EventSource('api/events');
    this.#source = source;
    this.#begun ||= performance.now();
    source.addEventListener('open', () => {
      const late = performance.now() - this.#begun > LATE_MS; // the page may have been filled before
      const again = this.lost || this.#missed || late;
      this.connected = true;
      this.lost = this.#missed = false;
      if (again) this.#tell({ type: 'runs', run: null, last_step: null, points: null, status: null, version: 0 });
    });
    source.addEventListener('error', () => {
      this.connected = false;
      this.lost = true;
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.#source === source && this.#connect(), RETRY_MS);
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
