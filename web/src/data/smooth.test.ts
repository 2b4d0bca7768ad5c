import { expect, test } from 'vitest';
import { smooth } from './smooth.ts';

const steps = Array.from({ length: 101 }, (_, i) => i);

test('leaves a straight line where it is, away from the ends', () => {
  const smoothed = smooth(steps, steps.map((x) => 2 * x), 20);

  expect(smoothed[50]).toBeCloseTo(100, 9);
});

test('does not shift a peak', () => {
  const smoothed = smooth(steps, steps.map((x) => Math.exp(-((x - 40) ** 2) / 50)), 10);

  expect(smoothed.indexOf(Math.max(...smoothed))).toBe(40);
});

test('steps over what is not finite', () => {
  const smoothed = smooth([0, 1, 2], [1, Number.NaN, 1], 2);

  expect([...smoothed]).toEqual([1, 1, 1]);
});

test('no width leaves the values alone', () => {
  expect([...smooth([0, 1], [3, 4], 0)]).toEqual([3, 4]);
});
