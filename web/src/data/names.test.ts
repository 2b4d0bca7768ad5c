import { expect, test } from 'vitest';
import { told } from './names.ts';

const runs = (...names: string[]): { id: string; name: string; project: string }[] => names.map((name, i) => ({ id: `id${i}`, name, project: 'p' }));

test('a label is made of the settings that differ, the seed last', () => {
  const config = [{ key: 'seed', values: [0, 1, 0] }, { key: 'learning_rate', values: [0.01, 0.01, 0.03] }, { key: 'lr', values: [0.01, 0.01, 0.03] }];

  expect(told(runs('seed3', 'seed3', 'seed3'), config)).toEqual(['lr 0.01 · seed 0', 'lr 0.01 · seed 1', 'lr 0.03 · seed 0']);
});

test('what tells nothing apart is left out, and names of their own are no settings', () => {
  const config = [{ key: 'run_name', values: ['x1', 'x2'] }, { key: 'optim.clip_range', values: [0.1, 0.2] }, { key: 'gamma', values: [0.9, 0.99] }];

  expect(told(runs('a', 'b'), config)).toEqual(['clip 0.1', 'clip 0.2']);
  expect(told(runs('alone'), [])).toEqual(['alone']);
});

test('runs of one name are told apart by project, and if need be by id, never by a count', () => {
  const twins = [{ id: 'aa', name: 'seed3', project: 'ppo' }, { id: 'bb', name: 'seed3', project: 'grpo' }];

  expect(told(twins, [])).toEqual(['ppo', 'grpo']);
  expect(told(runs('same-name', 'same-name'), [])).toEqual(['same-name id0', 'same-name id1']);
});

test('names are cut to what differs, whole words at a time', () => {
  expect(told(runs('ppo-cartpole-seed10', 'ppo-cartpole-seed11'), [])).toEqual(['seed10', 'seed11']);
  expect(told(runs('sft-addition-labels-shifted-seed4', 'ppo'), [])).toEqual(['sft-addit…ls-shifted-seed4', 'ppo']);
});
