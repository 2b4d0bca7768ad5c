/** Where a hand is just moving all charts of the page to; it becomes the address once the hand rests. */
import type { Zoom } from './view.ts';

const REST_MS = 150;

class Moving {
  zoom = $state.raw<Zoom | null>(null);
  #timer: ReturnType<typeof setTimeout> | null = null;

  to(zoom: Zoom, settle: (zoom: Zoom) => void): void {
    this.zoom = zoom;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      settle(zoom);
      this.stop();
    }, REST_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.zoom = null;
  }
}

export const moving = new Moving();
