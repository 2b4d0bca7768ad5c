import { expect, test } from 'vitest';
import { clearlyBest, meanOf } from './interval.ts';

test('a mean has a 95 % interval by Student’s t', () => {
  // scipy.stats.t.interval(0.95, 3, 5, scipy.stats.sem([2, 4, 6, 8])) is 0.8913 to 9.1087
  expect(meanOf([2, 4, null, 6, 8, Number.NaN])).toEqual({ n: 4, mean: 5, half: expect.closeTo(4.1087, 2) as number });
  expect(meanOf([3])).toEqual({ n: 1, mean: 3, half: null });
  expect(meanOf([null])).toBeNull();
});

test('the interval of many runs goes over into the normal one', () => {
  const many = Array.from({ length: 41 }, (_, i) => (i % 2 ? 1 : -1));

  expect((meanOf(many)?.half ?? 0) / Math.sqrt(40.98 / 40 / 41)).toBeCloseTo(2.021, 1);
});

test.each([
  ['beyond both intervals', [{ n: 6, mean: 250, half: 10 }, { n: 6, mean: 208, half: 32 }], 'higher', 0],
  ['within them', [{ n: 6, mean: 250, half: 30 }, { n: 6, mean: 208, half: 32 }], 'higher', null],
  ['lower is better', [{ n: 6, mean: 250, half: 10 }, { n: 6, mean: 208, half: 32 }], 'lower', 1],
  ['equal', [{ n: 6, mean: 1, half: 0 }, { n: 6, mean: 1, half: 0 }], 'higher', null],
  ['one run each', [{ n: 1, mean: 2, half: null }, { n: 1, mean: 1, half: null }], 'higher', null],
  ['neither end is better', [{ n: 6, mean: 250, half: 10 }, { n: 6, mean: 208, half: 2 }], 'neutral', null],
  ['nothing to compare with', [{ n: 6, mean: 250, half: 10 }, null], 'higher', null],
])('best: %s', (_, means, direction, place) => {
  expect(clearlyBest(means, direction)).toBe(place);
});
