import { expect, test } from 'vitest';
import { listColumn, metricsAsked, moved } from './list-columns.ts';

const shown = { outcome: { metric: 'eval/mean_reward', kind: 'end' as const }, figures: null, scale: { low: -420, high: 290 } };

test('the heads name the outcome and the scale that all curves share', () => {
  expect(listColumn('outcome', shown)).toMatchObject({ title: 'mean_reward', below: 'level at the end' });
  expect(listColumn('curve', shown)).toMatchObject({ title: 'mean_reward', below: '−420 to 290, one scale' });
  expect(listColumn('policy/entropy:last', shown)).toMatchObject({ title: 'entropy', below: 'last value', right: true });
  expect(listColumn('clip_range', shown)).toMatchObject({ title: 'clip_range', below: 'setting' });
});

test('what columns, sorting, outcome and search need is asked for once', () => {
  expect(metricsAsked(['steps', 'a:last', 'b:best'], '-a:end', { metric: 'c', kind: 'end' }, ['d', 'c:last'])).toEqual(['c', 'a', 'b', 'd']);
});

test('a column moves one place to the front', () => {
  expect([moved(['a', 'b', 'c'], 'c'), moved(['a', 'b'], 'a')]).toEqual([['a', 'c', 'b'], ['a', 'b']]);
});
