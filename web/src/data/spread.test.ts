import { expect, test } from 'vitest';
import { extremes, rangeAt } from './spread.ts';

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

test('the range over all ranks is the server\'s, and a rank that lies at its edge is named', () => {
  const lines = [{ label: 'a', ofRanks: 'lowest' }, { label: 'b', ofRanks: 'median' }, { label: 'c', ofRanks: 'highest' }, { label: 'rank 512', told: true }] as const;
  expect(rangeAt([...lines], [1, 2, 9, 9])).toEqual({
    low: { label: '', value: 1 },
    middle: 2,
    high: { label: 'rank 512', value: 9 },
  });
});

test('without it, it is that of the series', () => {
  expect(rangeAt([{ label: 'a' }, { label: 'b' }], [1, 2])?.high).toEqual({ label: 'b', value: 2 });
});
