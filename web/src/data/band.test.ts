import { expect, test } from 'vitest';
import { bandText } from './band.ts';

test.each([
  [{ low: null, high: 0.3 }, 'up to 0.3'],
  [{ low: 0.8, high: null }, 'from 0.8'],
  [{ low: 0.1, high: 0.1 + 0.2 }, '0.1 to 0.3'],
])('%j is %s', (band, text) => {
  expect(bandText(band)).toBe(text);
});
