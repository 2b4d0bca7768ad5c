/** Wheel, shift and fingers over a chart. A plain drag, which chooses a range, is uPlot's own. */
import { isAll, pinched, scaled, shifted, type Range } from '../data/zoom.ts';

export interface Hands {
  range: () => Range;
  /** All there is to see. */
  all: () => Range;
  move: (range: Range) => void;
  reset: () => void;
  /** Where a finger points, in pixels from the left; a drag of it only moves charts that are zoomed. */
  point: (left: number, top: number) => void;
  /** Whether the wheel alone may zoom, as nothing scrolls here. */
  free: () => boolean;
}

const WHEEL = 0.0016; // of the logarithm of the width, for a pixel
const LINE = 16; // pixels that a wheel which counts lines moves

/** Listens on the drawing area; returns how to stop that. */
export function gestures(over: HTMLElement, hands: Hands): () => void {
  const fingers = new Map<number, number>();
  let begun: { values: Range; range: Range; at: number } | null = null;
  let dragged: { at: number; range: Range } | null = null;

  const left = (event: MouseEvent): number => event.clientX - over.getBoundingClientRect().left;
  const valueAt = (place: number, [from, to]: Range): number => from + (place / over.clientWidth) * (to - from);

  function go(range: Range): void {
    if (isAll(range, hands.all())) hands.reset();
    else hands.move(range);
  }

  function wheel(event: WheelEvent): void {
    const unit = event.deltaMode === 1 ? LINE : 1;
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const range = hands.range();
    if (event.ctrlKey || event.metaKey || (hands.free() && !sideways)) {
      go(scaled(range, Math.exp(event.deltaY * unit * WHEEL), valueAt(left(event), range), hands.all()));
    } else if (sideways && !isAll(range, hands.all())) {
      go(shifted(range, ((event.deltaX || event.deltaY) * unit) / over.clientWidth, hands.all()));
    } else return;
    event.preventDefault();
  }

  function mousedown(event: MouseEvent): void {
    if (!event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    dragged = { at: event.clientX, range: hands.range() };
    addEventListener('mousemove', mousemove);
    addEventListener('mouseup', mouseup, { once: true });
  }

  function mousemove(event: MouseEvent): void {
    if (dragged) go(shifted(dragged.range, (dragged.at - event.clientX) / over.clientWidth, hands.all()));
  }

  function mouseup(): void {
    dragged = null;
    removeEventListener('mousemove', mousemove);
  }

  function hold(): void {
    const range = hands.range();
    const [one = 0, two] = sorted();
    begun = { range, at: one, values: [valueAt(one, range), valueAt(two ?? one, range)] };
  }

  function sorted(): number[] {
    return [...fingers.values()].sort((a, b) => a - b);
  }

  function down(event: PointerEvent): void {
    if (event.pointerType !== 'touch') return;
    fingers.set(event.pointerId, left(event));
    hold();
  }

  function moved(event: PointerEvent): void {
    if (!begun || !fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, left(event));
    const [one = 0, two] = sorted();
    if (two !== undefined) go(pinched(begun.values, [one, two], over.clientWidth, hands.all()));
    else if (isAll(begun.range, hands.all())) hands.point(one, event.clientY - over.getBoundingClientRect().top);
    else go(shifted(begun.range, (begun.at - one) / over.clientWidth, hands.all()));
  }

  function up(event: PointerEvent): void {
    if (!fingers.delete(event.pointerId)) return;
    if (fingers.size) hold();
    else begun = null;
  }

  /** Two fingers are ours even where the browser would scroll with one. */
  function touch(event: TouchEvent): void {
    if (event.touches.length > 1 && event.cancelable) event.preventDefault();
  }

  const stop = new AbortController();
  const { signal } = stop;
  over.style.touchAction = 'pan-y';
  over.addEventListener('wheel', wheel, { passive: false, signal });
  over.addEventListener('mousedown', mousedown, { capture: true, signal });
  over.addEventListener('pointerdown', down, { signal });
  over.addEventListener('pointermove', moved, { signal });
  over.addEventListener('pointerup', up, { signal });
  over.addEventListener('pointercancel', up, { signal });
  over.addEventListener('touchmove', touch, { passive: false, signal });
  return () => {
    mouseup();
    stop.abort();
  };
}
