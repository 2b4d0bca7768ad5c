import { expect, test } from 'vitest';
import { isAll, pinched, scaled, shifted } from './zoom.ts';

const ALL = [0, 100] as const;

test('moving along keeps the width and stops at the ends', () => {
  expect(shifted([40, 60], 0.5, ALL)).toEqual([50, 70]);
  expect(shifted([70, 90], 5, ALL)).toEqual([80, 100]);
  expect(shifted([10, 30], -5, ALL)).toEqual([0, 20]);
});

test('looking closer keeps what is below the pointer, stepping back ends at the whole', () => {
  expect(scaled([0, 100], 0.5, 80, ALL)).toEqual([40, 90]);
  expect(scaled([40, 60], 100, 50, ALL)).toEqual([0, 100]);
  expect(scaled([50, 50.00001], 0.001, 50, ALL)[1]).toBeGreaterThan(50);
});

test('two fingers keep the values that they touched', () => {
  expect(pinched([20, 40], [100, 300], 400, ALL)).toEqual([10, 50]);
  expect(pinched([20, 40], [300, 100], 400, ALL)).toEqual(ALL);
});

test('all is all', () => {
  expect([isAll([0, 100], ALL), isAll([0, 99], ALL)]).toEqual([true, false]);
});
