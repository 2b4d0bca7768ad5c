import { expect, test } from 'vitest';
import { sentence } from './sentence.ts';

test.each([
  ['policy KL above 0.05', 'train/approx_kl', 'Policy KL above 0.05'],
  ['critic/score/mean rose by 0.6', 'val/acc', 'critic/score/mean rose by 0.6'],
  ['loss is NaN from step 5', 'loss', 'loss is NaN from step 5'],
  ['96% of the groups', 'x', '96% of the groups'],
])('%j of %j', (message, series, said) => {
  expect(sentence(message, series)).toBe(said);
});
