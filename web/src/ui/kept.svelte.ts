/** What is kept of each project: how its charts are looked at, and views with a name. */
import { get, put } from '../api/client.ts';
import type { SharedViews } from '../api/types.ts';

type Values = Record<string, string[]>;

export interface SavedView {
  name: string;
  /** The part of the address that it stands for. */
  query: string;
  /** Whether it lies beside the runs, and not in this browser alone. */
  shared?: boolean;
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
  #own = $state.raw<SavedView[]>([]);
  #shared = $state.raw<SavedView[]>([]);
  /** Whether the server writes: views then lie beside the runs. */
  writable = $state(false);

  /** Views of the project: those beside the runs, then those of this browser. */
  get views(): SavedView[] {
    return [...this.#shared, ...this.#own];
  }

  /** From now on pages are about runs of this project; an empty name keeps nothing. */
  of(project: string): void {
    if (project === this.#project) return;
    this.#project = project;
    const view = project ? read(this.#key('view')) : null;
    this.view = typeof view === 'object' && view !== null ? (Object.fromEntries(Object.entries(view).filter(([, one]) => Array.isArray(one))) as Values) : {};
    this.#own = project ? viewsIn(read(this.#key('views'))) : [];
    this.#shared = [];
    if (project) void this.#load(project);
  }

  keep(view: Values): void {
    if (!this.#project) return;
    this.view = view;
    write(this.#key('view'), view);
  }

  save(view: SavedView): void {
    if (this.writable) this.#share([...this.#shared.filter((one) => one.name !== view.name), { ...view, shared: true }]);
    else this.#keepOwn([...this.#own.filter((one) => one.name !== view.name), view]);
  }

  remove(view: SavedView): void {
    if (view.shared) this.#share(this.#shared.filter((one) => one.name !== view.name));
    else this.#keepOwn(this.#own.filter((one) => one.name !== view.name));
  }

  async #load(project: string): Promise<void> {
    try {
      const found = await get<SharedViews>('views', { project });
      if (project !== this.#project) return;
      this.writable = found.writable;
      this.#shared = found.views.map((view) => ({ ...view, shared: true }));
    } catch {
      this.writable = false; // a report has no server to ask
    }
  }

  #share(views: SavedView[]): void {
    this.#shared = views;
    const told = { views: views.map(({ name, query }) => ({ name, query })) };
    put('views', { project: this.#project }, told).catch(() => void this.#load(this.#project)); // shows what is kept
  }

  #keepOwn(views: SavedView[]): void {
    this.#own = views;
    write(this.#key('views'), views);
  }

  #key(what: string): string {
    return `runvitals.${what}.${this.#project}`;
  }
}

function viewsIn(found: unknown): SavedView[] {
  return Array.isArray(found) ? found.filter((one): one is SavedView => typeof one?.name === 'string' && typeof one?.query === 'string') : [];
}

export const kept = new Kept();
