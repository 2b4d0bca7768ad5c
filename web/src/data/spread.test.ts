import { expect, test } from 'vitest';
import { extremes } from './spread.ts';

test('names who is lowest and highest', () => {
  expect(extremes(['a', 'b', 'c', 'd'], [3, null, 1, 2])).toEqual({
    low: { label: 'c', value: 1 },
    middle: 2,
    high: { label: 'a', value: 3 },
  });
});

test('between two, the middle is their mean', () => {
  expect(extremes(['a', 'b'], [1, 2])?.middle).toBe(1.5);
});

test('nothing known has no extremes', () => {
  expect(extremes(['a'], [Number.NaN])).toBeNull();
});
