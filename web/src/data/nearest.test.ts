import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

test('the lines nearest to the pointer come first, the others as a range', () => {
  expect(nearest([10, null, 250, 148, 201], 150, 2)).toEqual({ first: [3, 4], more: 2, low: 10, high: 250 });
  expect(nearest([1, 2], 5, 8)).toMatchObject({ first: [1, 0], more: 0 });
});
