import { expect, test } from 'vitest';
import { told } from './names.ts';

test('what all names begin with is left out, whole words at a time', () => {
  expect(told(['ppo-cartpole-seed10', 'ppo-cartpole-seed11'])).toEqual(['seed10', 'seed11']);
  expect(told(['ppo-a', 'ppo-b'])).toEqual(['ppo-a', 'ppo-b']);
  expect(told(['same-name', 'same-name'])).toEqual(['same-name', 'same-name (2)']);
});

test('long names keep their end, where they differ', () => {
  expect(told(['sft-addition-labels-shifted-seed4', 'ppo'])).toEqual(['sft-addit…ls-shifted-seed4', 'ppo']);
  expect(told(['alone-in-the-comparison'])).toEqual(['alone-in-the-comparison']);
});
