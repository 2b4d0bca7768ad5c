import { expect, test } from 'vitest';
import { align, spread, stack, valueAt } from './align.ts';

test('a missing point is not a gap, a value that is not a number is', () => {
  const [x, a, b] = align([
    { x: [1, 3], columns: [[10, Number.NaN]] },
    { x: [2, 3], columns: [[20, 30]] },
  ]);

  expect(x).toEqual([1, 2, 3]);
  expect(a?.[1]).toBeUndefined();
  expect(a?.[2]).toBeNull();
  expect(b?.[1]).toBe(20);
});

test('under the crosshair stands the last value known', () => {
  expect(valueAt([1, undefined, undefined], 2)).toBe(1);
  expect(valueAt([1, null], 1)).toBeNull();
});

test('areas stand on each other and hold their last value', () => {
  const [first, second] = stack([
    [1, undefined, 3],
    [10, 10, 10],
  ]);

  expect(first).toEqual([1, 1, 3]);
  expect(second).toEqual([11, 11, 13]);
});

test('the spread of ranks is their least, middle and greatest', () => {
  expect(spread([[1], [5], [2], [undefined]])).toEqual({ low: [1], middle: [2], high: [5] });
});

test('series of the same steps keep all points, also several at one place', () => {
  const [x, a] = align([
    { x: [1, 1, 2], columns: [[5, 9, 6]] },
    { x: [1, 1, 2], columns: [[0, 0, 0]] },
  ]);

  expect([x, a]).toEqual([[1, 1, 2], [5, 9, 6]]);
});
