import { expect, test } from 'vitest';
import { ofHistogram, ofShares, strongest } from './heat.ts';

test('each moment of a histogram sums to one', () => {
  const cells = ofHistogram([1, 2], [0, 1, 2], [[3, 1], [0, 0]]);

  expect(cells.shares).toEqual([[0.75, 0.25], [0, 0]]);
  expect(strongest(cells)).toBe(0.75);
});

test('series become rows', () => {
  expect(ofShares([1, 2], [[0.9, undefined], [0.1, 1]], ['a', 'b']).shares).toEqual([[0.9, 0.1], [0, 1]]);
});
