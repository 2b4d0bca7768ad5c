/** The address of the page as state. Pages read it and write it; nothing else holds what they show. */
import { link, parse } from '../data/route.ts';

const REST_MS = 120; // browsers refuse a history that changes with every pixel of a slider

class Address {
  #hash = $state(location.hash);
  #route = $derived(parse(this.#hash));
  #later: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    addEventListener('hashchange', () => {
      this.#forget();
      this.#hash = location.hash;
    });
    addEventListener('pagehide', () => this.#write());
    addEventListener('click', () => this.#write(), { capture: true }); // a link may lead away at once
  }

  get path(): string[] {
    return this.#route.path;
  }

  get(key: string): string | null {
    return this.#route.query.get(key);
  }

  all(key: string): string[] {
    return this.#route.query.getAll(key);
  }

  /** The present address with some parts of its query changed; null takes one out. */
  with(changes: Record<string, string | string[] | null>): string {
    const query: Record<string, string | string[] | null> = {};
    for (const key of this.#route.query.keys()) query[key] = this.#route.query.getAll(key);
    return link(this.#route.path, { ...query, ...changes });
  }

  /** Changes the query in place; small changes leave no trace in the history. */
  set(changes: Record<string, string | string[] | null>, options: { keep?: boolean } = {}): void {
    this.go(this.with(changes), options);
  }

  go(address: string, { keep = false }: { keep?: boolean } = {}): void {
    if (address === this.#hash) return;
    if (keep) {
      this.#write();
      this.#tell(() => history.pushState(null, '', address));
    } else {
      this.#later ??= setTimeout(() => this.#write(), REST_MS);
    }
    this.#hash = address;
  }

  #write(): void {
    if (this.#later === null) return;
    this.#forget();
    this.#tell(() => history.replaceState(history.state, '', this.#hash));
  }

  #tell(change: () => void): void {
    try {
      change();
    } catch {
      // a page inside another, as in a preview of a report, may have no address that it can change
    }
  }

  #forget(): void {
    if (this.#later !== null) clearTimeout(this.#later);
    this.#later = null;
  }
}

export const address = new Address();
