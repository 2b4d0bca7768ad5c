import { expect, test } from 'vitest';
import type { SampleRow } from '../api/types.ts';
import { byPrompt, counterpart, histogram, rolesOf } from './samples.ts';

function sample(index: number, step: number, prompt: string, reward: number): SampleRow {
  return { index, id: '', step, time: null, fields: { prompt, completion: `text ${index}`, reward, format: 0.1, answer: '7', step } };
}

const all = [sample(0, 0, 'a', 1), sample(1, 0, 'a', 0), sample(2, 10, 'b', 1), sample(3, 20, 'a', 0), sample(4, 20, 'b', 0)];
const roles = rolesOf(['prompt', 'completion', 'reward', 'format', 'answer', 'step'], all);

test('fields are known by their names and by what they hold', () => {
  expect(roles).toEqual({ prompt: 'prompt', text: 'completion', reward: 'reward', length: null, parts: ['format'], texts: ['answer'] });
});

test('samples of one prompt lie together, the newest first', () => {
  expect(byPrompt(all, roles).map((group) => [group.prompt, group.samples.map((one) => one.index)])).toEqual([['a', [3, 1, 0]], ['b', [4, 2]]]);
});

test('the counterpart is of the same prompt, earlier and best paid, and there is always one', () => {
  expect(counterpart(all[3] as SampleRow, all, roles)?.index).toBe(0);
  expect(counterpart(all[0] as SampleRow, all, roles)?.index).toBe(1);
  expect(counterpart(sample(9, 30, 'never asked before', 0), all, roles)?.step).toBe(20);
  expect(counterpart(all[0] as SampleRow, [all[0] as SampleRow], roles)).toBeNull();
});

test('a histogram counts every value once', () => {
  expect(histogram([0, 0, 5, 10], 2)).toEqual({ low: 0, high: 10, counts: [2, 2] });
  expect(histogram([3, 3])).toBeNull();
});
