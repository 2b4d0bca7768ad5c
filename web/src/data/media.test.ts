import { expect, test } from 'vitest';
import { shownAt, sortedRows } from './media.ts';

const item = (name: string, step: number, file: string) => ({ name, step, file, kind: 'image' as const, caption: '', rows: [], data: null });

test('a name shows all that was logged at its last step up to the chosen one', () => {
  const items = [item('a', 1, 'x'), item('a', 5, 'y'), item('a', 5, 'z'), item('a', 9, 'w'), item('b', 8, 'v')];

  const [a, b] = shownAt(items, 7);

  expect(a?.items.map((one) => one.file)).toEqual(['y', 'z']);
  expect(a?.steps).toEqual([1, 5, 9]);
  expect(b?.step).toBe(8);
});

test('rows are sorted by number, and what is no number comes last either way', () => {
  const rows = [['10', 'a'], ['9', 'b'], ['-', 'c'], ['', 'd'], ['1e3', 'e']];

  expect(sortedRows(rows, 0, false).map((row) => row[1])).toEqual(['b', 'a', 'e', 'd', 'c']);
  expect(sortedRows(rows, 0, true).map((row) => row[1])).toEqual(['e', 'a', 'b', 'c', 'd']);
});
