import { expect, test } from 'vitest';
import type { Points } from '../data/packed.ts';
import { coarse } from './coarse.ts';

function raw(values: number[]): Points {
  const mean = Float32Array.from(values);
  return { name: 'loss', count: values.length, raw: true, nonfinite: [], x: Float64Array.from(values.keys()), mean, low: mean, high: mean, first: mean, last: mean };
}

test('few points stay as they are', () => {
  const points = raw([1, 2, 3, 4]);

  expect(coarse(points, 2)).toBe(points);
});

test('every spike is the highest or lowest of its bucket', () => {
  const values = Array.from({ length: 1000 }, (_, i) => (i === 333 ? 50 : i === 777 ? -50 : 0));

  const made = coarse(raw(values), 100);

  expect(made.x).toHaveLength(100);
  expect(made.raw).toBe(false);
  expect(Math.max(...made.high)).toBe(50);
  expect(Math.min(...made.low)).toBe(-50);
  expect(made.mean[33]).toBe(5);
  expect(made.last.at(-1)).toBe(0);
});

test('what is not a number counts only where there is nothing else', () => {
  const made = coarse(raw([Number.NaN, 2, Number.NaN, Number.NaN, 4, 6, 8, 8, 8]), 3);

  expect([...made.mean]).toEqual([2, 5, 8]);
  expect([...coarse(raw([Number.NaN, Number.NaN, Number.NaN, 1, 1, 1]), 2).low]).toEqual([Number.NaN, 1]);
});
