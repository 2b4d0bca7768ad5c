/** Which columns the list has: as the address says, else as they were left in this browser. */
import { address } from './address.svelte.ts';

const KEPT = 'runvitals.columns';

function kept(): string[] | null {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEPT) ?? 'null');
    return Array.isArray(found) ? found.filter((key) => typeof key === 'string') : null;
  } catch {
    return null; // storage may be closed to the page, or hold what another version wrote
  }
}

class Columns {
  #kept = $state.raw(kept());

  /** Null: nobody has chosen any. */
  get chosen(): string[] | null {
    const told = address.all('col');
    return told.length ? told : this.#kept;
  }

  choose(columns: string[] | null): void {
    this.#kept = columns;
    address.set({ col: columns });
    try {
      if (columns) localStorage.setItem(KEPT, JSON.stringify(columns));
      else localStorage.removeItem(KEPT);
    } catch {
      // the address has them all the same
    }
  }
}

export const columns = new Columns();
