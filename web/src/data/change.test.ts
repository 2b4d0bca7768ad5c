import { expect, test } from 'vitest';
import { beforeAndAfter, wide } from './change.ts';

const x = Float64Array.from([0, 1, 2, 3, 4]);
const mean = Float32Array.from([1, 1, Number.NaN, 9, 9]);

test('the middle before a stretch and within it', () => {
  expect(beforeAndAfter({ x, mean }, 2, 4)).toEqual({ before: 1, after: 9 });
  expect(beforeAndAfter({ x, mean }, 0, 1)).toEqual({ before: null, after: 1 });
  expect(beforeAndAfter({ x, mean }, 7, 9)).toBeNull();
});

test('only what is positive and far apart needs a logarithm', () => {
  const of = (...values: number[]): { low: Float32Array; high: Float32Array } => ({ low: Float32Array.from(values), high: Float32Array.from(values) });

  expect(wide(of(0.01, 1))).toBe(true);
  expect(wide(of(0.5, 1))).toBe(false);
  expect(wide(of(-1, 100))).toBe(false);
});
