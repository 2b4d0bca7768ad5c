import { expect, test } from 'vitest';
import type { RunColumns, RunRow } from '../api/types.ts';
import { figureOf, keyOf, merged, outcomesOf, wantedOf } from './figures.ts';

const column = { asked: 'return', metric: 'return', title: 'Return', unit: '', direction: 'higher' as const };
const first: RunColumns = { version: '1', whole: true, columns: [{ ...column, runs: { a: [1, 2, 0, 3], b: [4, 5, 4, 6] } }], curves: { a: [1] } };

test('a column says which figure of a metric it shows', () => {
  expect(wantedOf('eval/loss:last')).toEqual({ metric: 'eval/loss', kind: 'last' });
  expect(wantedOf('learning_rate')).toBeNull();
  expect(keyOf({ metric: 'a:b', kind: 'best' })).toBe('a:b:best');
  expect(wantedOf('a:b:best')).toEqual({ metric: 'a:b', kind: 'best' });
});

test('what has changed is taken over, the rest is kept', () => {
  const known = merged(null, first);

  const next = merged(known, { version: '2', whole: false, columns: [{ ...column, metric: null, title: 'return', runs: { b: [7, 8, 4, 9] } }], curves: {} });

  expect([figureOf(next, 'a', { metric: 'return', kind: 'end' }), figureOf(next, 'b', { metric: 'return', kind: 'best' })]).toEqual([2, 9]);
  expect([next.columns.get('return')?.title, next.curves.get('a')]).toEqual(['Return', [1]]);
});

test('a run without it has none, and nothing is known before somebody asks', () => {
  const known = merged(null, first);

  expect(figureOf(known, 'c', { metric: 'return', kind: 'end' })).toBeNull();
  expect(figureOf(known, 'a', { metric: 'loss', kind: 'end' })).toBeUndefined();
});

test('the outcome that most runs share comes first, then the one that verdicts rest on', () => {
  const run = (metric: string, outcomes: string[]): RunRow => ({ outcome: { metric, name: metric, values: [], last: 0 }, outcomes }) as unknown as RunRow;

  const found = outcomesOf([run('rate', ['rate', 'return']), run('rate', ['rate', 'return']), run('return', ['return'])]);

  expect(found).toEqual([{ metric: 'return', runs: 3 }, { metric: 'rate', runs: 2 }]);
  expect(outcomesOf([run('b', ['a', 'b'])])[0]?.metric).toBe('b');
});
