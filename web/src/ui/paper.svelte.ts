/**
 * Whether the page is being printed: then all is shown that is folded or not yet in view,
 * but what is marked as an aside. Browsers print what is
 * there when `beforeprint` has been told, so everything is drawn, and what is missing fetched, within that event.
 */
import { flushSync } from 'svelte';

class OnPaper {
  now = $state(false);
  #opened: HTMLDetailsElement[] = [];

  constructor() {
    addEventListener('beforeprint', () => {
      flushSync(() => (this.now = true));
      this.#opened = [...document.querySelectorAll<HTMLDetailsElement>('details:not([data-aside])')].filter((one) => !one.open);
      for (const one of this.#opened) one.open = true;
    });
    addEventListener('afterprint', () => {
      for (const one of this.#opened) one.open = false;
      this.now = false;
    });
  }
}

export const onPaper = new OnPaper();
