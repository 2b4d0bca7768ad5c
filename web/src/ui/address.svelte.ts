/** The address of the page as state. Pages read it and write it; nothing else holds what they show. */
import { link, parse } from '../data/route.ts';

class Address {
  #hash = $state(location.hash);
  #route = $derived(parse(this.#hash));

  constructor() {
    addEventListener('hashchange', () => {
      this.#hash = location.hash;
    });
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
    if (address === location.hash) return;
    if (keep) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
    this.#hash = address;
  }
}

export const address = new Address();
