/** Which images, sounds, videos and tables belong to a step. */
import type { MediaItem } from '../api/types.ts';

export interface Shown {
  name: string;
  /** The step they were logged at; null before the first of the name. */
  step: number | null;
  items: MediaItem[];
  /** All steps of the name, in their order. */
  steps: number[];
}

const KINDS: string[] = ['video', 'image', 'audio', 'table'];

/** Of each name what was logged last up to a step, or next after it if there is nothing before. */
export function shownAt(items: MediaItem[], step: number): Shown[] {
  const names = Map.groupBy(items, (item) => item.name);
  const order = [...names].sort(([, a], [, b]) => KINDS.indexOf(a[0]?.kind ?? '') - KINDS.indexOf(b[0]?.kind ?? ''));
  return order.map(([name, mine]) => {
    const steps = [...new Set(mine.map((item) => item.step))].sort((a, b) => a - b);
    const at = steps.findLast((one) => one <= step) ?? steps[0] ?? null;
    return { name, step: at, items: mine.filter((item) => item.step === at), steps };
  });
}

/** The rows of a table by one column: numbers by their size, what is none after them, equal rows as they came. */
export function sortedRows(rows: string[][], column: number, down: boolean): string[][] {
  const turn = down ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [a[column] ?? '', b[column] ?? ''];
    const [x, y] = [numeric(one), numeric(other)];
    if (x === null || y === null) return x === y ? turn * one.localeCompare(other) : x === null ? 1 : -1;
    return turn * (x - y);
  });
}

export function numeric(cell: string): number | null {
  return cell.trim() === '' || Number.isNaN(Number(cell)) ? null : Number(cell);
}
