import { expect, test } from 'vitest';
import { ema, smooth, smoothingOf } from './smooth.ts';

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

test('an exponential average begins at the first value and forgets', () => {
  expect([...ema([2, 2, 2], 0.9)]).toEqual([2, 2, 2]);
  const jumped = ema([0, ...Array.from({ length: 50 }, () => 1)], 0.5);

  expect(jumped[1]).toBeCloseTo(2 / 3, 9);
  expect(jumped.at(-1)).toBeCloseTo(1, 9);
  expect([...ema([1, Number.NaN, 1], 0.5)]).toEqual([1, Number.NaN, 1]);
});

test('an address says which average', () => {
  expect(smoothingOf('ema:0.9')).toEqual({ kind: 'ema', amount: 0.9 });
  expect(smoothingOf('0.03')).toEqual({ kind: 'window', amount: 0.03 });
  expect(smoothingOf('7')).toEqual({ kind: 'window', amount: 0.2 });
  expect(smoothingOf('no')).toEqual({ kind: 'none', amount: 0 });
  expect(smoothingOf(null)).toEqual({ kind: 'none', amount: 0 });
});
