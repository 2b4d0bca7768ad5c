/** What this browser keeps of each project: how its charts are looked at, and views with a name. */

type Values = Record<string, string[]>;

export interface SavedView {
  name: string;
  /** The part of the address that it stands for. */
  query: string;
}

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as unknown;
  } catch {
    return null; // storage may be closed to the page, or hold what another version wrote
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // the address has the view all the same
  }
}

class Kept {
  #project = $state('');
  view = $state.raw<Values>({});
  views = $state.raw<SavedView[]>([]);

  /** From now on pages are about runs of this project; an empty name keeps nothing. */
  of(project: string): void {
    if (project === this.#project) return;
    this.#project = project;
    const view = project ? read(this.#key('view')) : null;
    const views = project ? read(this.#key('views')) : null;
    this.view = typeof view === 'object' && view !== null ? Object.fromEntries(Object.entries(view).filter(([, one]) => Array.isArray(one))) as Values : {};
    this.views = Array.isArray(views) ? views.filter((one): one is SavedView => typeof one?.name === 'string' && typeof one?.query === 'string') : [];
  }

  keep(view: Values): void {
    if (!this.#project) return;
    this.view = view;
    write(this.#key('view'), view);
  }

  save(view: SavedView): void {
    this.#all([...this.views.filter((one) => one.name !== view.name), view]);
  }

  remove(name: string): void {
    this.#all(this.views.filter((one) => one.name !== name));
  }

  #all(views: SavedView[]): void {
    this.views = views;
    write(this.#key('views'), views);
  }

  #key(what: string): string {
    return `runvitals.${what}.${this.#project}`;
  }
}

export const kept = new Kept();
