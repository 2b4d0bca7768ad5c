import { expect, test } from 'vitest';
import { matcher } from './matching.ts';

test('every word has to match, in any order and case', () => {
  expect(matcher('norm layers/77')('layers/77/grad_Norm')).toBe(true);
  expect(matcher('norm layers/78')('layers/77/grad_norm')).toBe(false);
  expect(matcher('')('anything')).toBe(true);
});

test('words are regular expressions, or texts where they are none', () => {
  expect(matcher('layers/7[0-9]/')('layers/77/grad_norm')).toBe(true);
  expect(matcher('^loss$')('value/loss')).toBe(false);
  expect(matcher('f(x')('of f(x) here')).toBe(true);
});
