import { expect, test } from 'vitest';
import { best, relative } from './compare.ts';

test('the best value needs a direction and no equal', () => {
  expect(best([1, 3, 2], 'higher')).toBe(1);
  expect(best([1, 3, 2], 'lower')).toBe(0);
  expect(best([1, 3, 2], 'neutral')).toBeNull();
  expect(best([3, 3, 2], 'higher')).toBeNull();
  expect(best([null, 3], 'higher')).toBeNull();
});

test.each([
  [100, 150, '+50 %'],
  [100, 99, '−1.0 %'],
  [-100, -50, '+50 %'],
  [1, 30, '+29×'],
  [0, 5, ''],
  [5, null, ''],
])('from %s to %s is %s', (base, value, text) => {
  expect(relative(base, value)).toBe(text);
});
