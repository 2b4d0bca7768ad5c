import { expect, test } from 'vitest';
import { placeOn } from './clock.ts';

test('between two points in proportion, beyond the ends at the end', () => {
  const place = placeOn([0, 10, 20], [100, 200, 400]);

  expect([place(5), place(15), place(-3), place(99)]).toEqual([150, 300, 100, 400]);
});

test('nothing to go by, nowhere to place', () => {
  expect(placeOn([], [])(3)).toBeNull();
  expect(placeOn([1, 2], [1])(1)).toBeNull();
});
