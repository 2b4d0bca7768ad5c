import { expect, test } from 'vitest';
import { shownAt } from './media.ts';

const item = (name: string, step: number, file: string) => ({ name, step, file, kind: 'image' as const, caption: '', rows: [], data: null });

test('a name shows all that was logged at its last step up to the chosen one', () => {
  const items = [item('a', 1, 'x'), item('a', 5, 'y'), item('a', 5, 'z'), item('a', 9, 'w'), item('b', 8, 'v')];

  const [a, b] = shownAt(items, 7);

  expect(a?.items.map((one) => one.file)).toEqual(['y', 'z']);
  expect(a?.steps).toEqual([1, 5, 9]);
  expect(b?.step).toBe(8);
});
