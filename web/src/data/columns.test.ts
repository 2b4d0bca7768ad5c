import { expect, test } from 'vitest';
import type { Comparison } from '../api/types.ts';
import { coloursBy, colouring, columnsOf, firstOf, levelOf, settingsOf, shared, telling } from './columns.ts';

const run = (id: string, group: string): Comparison['runs'][number] => ({ id, name: id, project: 'p', group, status: '', verdict: null, last_step: null, steps_per_second: null, points: 0, updated: null });
const found: Comparison = {
  runs: [run('a', 'x'), run('b', 'y'), run('c', 'x')],
  group_by: ['lr'], config: [], table: [], findings: [], metrics: [],
  groups: [{ label: 'x', runs: ['a', 'c'] }, { label: 'y', runs: ['b'] }],
};

test('a column is a run, or the runs of a group', () => {
  const places = (together: boolean): [string, number[]][] => columnsOf(found, together, () => 0).map((column) => [column.key, column.members]);

  expect(places(false)).toEqual([['a', [0]], ['b', [1]], ['c', [2]]]);
  expect(places(true)).toEqual([['x', [0, 2]], ['y', [1]]]);
});

test('the level of a column leaves out runs that have none', () => {
  expect(levelOf([1, 5, 3], [0, 2])).toMatchObject({ n: 2, mean: 2 });
  expect(levelOf([1, 5, null], [0, 2])).toEqual({ n: 1, mean: 1, half: null });
  expect(levelOf([1, 5, null], [2])).toBeNull();
});

test('settings are told once, findings by the first', () => {
  expect(settingsOf([1, 2, 1], [0, 2])).toEqual([1]);
  expect(firstOf([30, null, 10], [0, 1, 2])).toEqual({ count: 2, first: 10 });
});

test('runs that share nothing show all they have', () => {
  expect(shared([{ values: [1, null] }, { values: [null, 2] }])).toHaveLength(2);
  expect(shared([{ values: [1, 3] }, { values: [null, 2] }])).toHaveLength(1);
});

test('a setting with few values colours the lines, in their order', () => {
  const config = [{ key: 'seed', values: [0, 1] }, { key: 'run_name', values: ['a', 'b'] }, { key: 'lr', values: [0.1, 0.01] }];

  expect(telling(config, []).map(({ key }) => key)).toEqual(['lr', 'seed']);
  expect(telling(config, ['seed']).map(({ key }) => key)).toEqual(['seed', 'lr']);
  expect(colouring(config)).toBe('lr');
  expect(colouring(config.slice(0, 2))).toBeNull();
  expect([...coloursBy([0.1, 0.01, null, 0.1])]).toEqual([[0.01, 0], [0.1, 1], [null, 2]]);
});
