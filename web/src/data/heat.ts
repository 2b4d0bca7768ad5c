/** A table of shades over x and y, whatever it is made from. */
import type { Column } from './align.ts';

export interface Cells {
  x: number[];
  /** Edges of the rows, from below, one more than there are rows; or names of rows. */
  edges: number[] | null;
  rows: string[];
  /** `shares[i][j]`: how much of column i lies in row j, 0 to 1. */
  shares: number[][];
}

/** Counts over common edges: each moment as shares, so that moments with few values are as readable. */
export function ofHistogram(steps: number[], edges: number[], counts: number[][]): Cells {
  const shares = counts.map((column) => {
    const total = column.reduce((sum, count) => sum + count, 0);
    return column.map((count) => (total > 0 ? count / total : 0));
  });
  return { x: steps, edges, rows: [], shares };
}

/** Series that are shares themselves, as of actions, one a row. */
export function ofShares(x: number[], columns: Column[], rows: string[]): Cells {
  return { x, edges: null, rows, shares: x.map((_, i) => columns.map((column) => column[i] ?? 0)) };
}

export function strongest(cells: Cells): number {
  return cells.shares.reduce((most, column) => Math.max(most, ...column), 0);
}
