/** The y range that shows the course of a curve when a few wild values would flatten it. */

export interface Range {
  low: number;
  high: number;
  /** Whether values lie outside it. */
  cut: boolean;
}

const TAIL = 0.02;
const WILD = 4; // the whole range must be this many times the bulk's before anything is cut

export function fullRange(columns: ArrayLike<number>[]): Range | null {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (let i = 0; i < column.length; i += 1) {
      const value = column[i] as number;
      if (!Number.isFinite(value)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? { low, high, cut: false } : null;
}

export function robustRange(columns: ArrayLike<number>[]): Range | null {
  const full = fullRange(columns);
  if (full === null) return null;
  const values: number[] = [];
  for (const column of columns) {
    for (let i = 0; i < column.length; i += 1) {
      const value = column[i] as number;
      if (Number.isFinite(value)) values.push(value);
    }
  }
  if (values.length < 20) return full;
  values.sort((a, b) => a - b);
  const at = (share: number): number => values[Math.round(share * (values.length - 1))] as number;
  const low = at(TAIL);
  const high = at(1 - TAIL);
  const bulk = high - low;
  if (!(bulk > 0) || full.high - full.low < WILD * bulk) return full;
  const room = 0.25 * bulk;
  const near = { low: Math.max(full.low, low - room), high: Math.min(full.high, high + room) };
  return { ...near, cut: near.low > full.low || near.high < full.high };
}

/** A little air around a range, and a range for a constant. */
export function padded({ low, high }: { low: number; high: number }): [number, number] {
  if (low === high) {
    const room = Math.abs(low) > 0 ? Math.abs(low) * 0.1 : 1;
    return [low - room, high + room];
  }
  const room = (high - low) * 0.06;
  return [low - room, high + room];
}

const FENCE = 3; // times the middle half beyond which a run is too far out to set the scale (Tukey's outer fence)

/** One scale for the curves of many runs, which a few in other units do not flatten. */
export function sharedScale(columns: ArrayLike<number>[]): Range | null {
  const full = fullRange(columns);
  if (full === null) return null;
  const values = columns.flatMap((column) => Array.from(column).filter(Number.isFinite)).sort((a, b) => a - b);
  const at = (share: number): number => values[Math.round(share * (values.length - 1))] as number;
  const room = FENCE * (at(0.75) - at(0.25));
  if (!(room > 0)) return full;
  const near = values.filter((value) => value >= at(0.25) - room && value <= at(0.75) + room);
  const [low, high] = [near[0] as number, near.at(-1) as number];
  return { low, high, cut: low > full.low || high < full.high };
}
