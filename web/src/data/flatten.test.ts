import { expect, test } from 'vitest';
import { flatten } from './flatten.ts';

test('nested settings become one line each', () => {
  expect(flatten({ lr: 1, optim: { name: 'adam', betas: [0.9, 0.99] }, empty: {} })).toEqual([
    ['lr', 1],
    ['optim.name', 'adam'],
    ['optim.betas', [0.9, 0.99]],
    ['empty', {}],
  ]);
});
