import { expect, test } from 'vitest';
import { padded, robustRange, sharedScale } from './range.ts';

test('one wild value does not flatten the curve', () => {
  const values = [...Array.from({ length: 99 }, (_, i) => i / 100), 1e6];

  const range = robustRange([values]);

  expect(range?.high).toBeLessThan(2);
  expect(range?.cut).toBe(true);
});

test('an ordinary curve is shown whole', () => {
  const values = Array.from({ length: 100 }, (_, i) => i);

  expect(robustRange([values])).toEqual({ low: 0, high: 99, cut: false });
});

test('few points are never cut', () => {
  expect(robustRange([[1, 2, 1000]])).toEqual({ low: 1, high: 1000, cut: false });
});

test('nothing finite has no range', () => {
  expect(robustRange([[Number.NaN, Infinity]])).toBeNull();
});

test('a constant gets room', () => {
  const [low, high] = padded({ low: 5, high: 5 });

  expect(low).toBeLessThan(5);
  expect(high).toBeGreaterThan(5);
});

test('runs in other units do not flatten the curves of all others', () => {
  const usual = Array.from({ length: 8 }, (_, i) => [i, 100 + i, 480]);

  expect(sharedScale([...usual, [230_000, 229_000, 231_000]])).toEqual({ low: 0, high: 480, cut: true });
  expect(sharedScale(usual)).toEqual({ low: 0, high: 480, cut: false });
  expect(sharedScale([[5, 5], [5, 5]])).toEqual({ low: 5, high: 5, cut: false });
  expect(sharedScale([[]])).toBeNull();
});
