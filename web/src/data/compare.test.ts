import { expect, test } from 'vitest';
import { relative } from './compare.ts';

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
