/** Moving along an x axis and looking closer, within what there is to see. */

export type Range = readonly [number, number];

const CLOSEST = 1e-6; // share of all there is below which a look gets no closer

/** `range` moved by a share of its width, kept within `all`. */
export function shifted([from, to]: Range, by: number, all: Range): Range {
  const width = to - from;
  const start = Math.min(Math.max(from + by * width, all[0]), Math.max(all[0], all[1] - width));
  return [start, start + width];
}

/** `range` made `factor` times as wide, with what is at `anchor` staying where it is. */
export function scaled([from, to]: Range, factor: number, anchor: number, all: Range): Range {
  const least = (all[1] - all[0]) * CLOSEST;
  const width = to - from;
  const wide = Math.max(width * factor, least);
  const share = width > 0 ? (anchor - from) / width : 0.5;
  const start = anchor - share * wide;
  return [Math.max(start, all[0]), Math.min(start + wide, all[1])];
}

/** The range in which two fingers lie on the values that they first touched. */
export function pinched(values: Range, places: Range, width: number, all: Range): Range {
  const perPixel = (values[1] - values[0]) / (places[1] - places[0]);
  if (!Number.isFinite(perPixel) || perPixel <= 0) return all;
  const from = values[0] - places[0] * perPixel;
  return [Math.max(from, all[0]), Math.min(from + width * perPixel, all[1])];
}

/** Whether nothing of `all` lies outside `range`. */
export function isAll([from, to]: Range, all: Range): boolean {
  return from <= all[0] && to >= all[1];
}
