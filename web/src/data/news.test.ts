import { expect, test } from 'vitest';
import type { RunList, RunRow } from '../api/types.ts';
import { grown, updated } from './news.ts';

const run = (id: string, points: number): RunRow => ({ id, points, status: 'running', last_step: points }) as RunRow;
const list = (whole: boolean, runs: RunRow[], gone: string[] = []): RunList => ({ runs, gone, whole, version: 'v', scanning: false, judging: 0, group_keys: [], missing: [], problems: [] });

test('runs keep their place, new ones come last, and those that went are left out', () => {
  const known = list(true, [run('a', 1), run('b', 1), run('c', 1)]);

  const next = updated(known, list(false, [run('d', 1), run('b', 2)], ['a']));

  expect(next.runs.map(({ id, points }) => [id, points])).toEqual([['b', 2], ['c', 1], ['d', 1]]);
  expect(updated(known, list(true, [])).runs).toEqual([]);
  expect(updated(known, list(false, [])).runs).toBe(known.runs);
});

test('an event moves a run on, but never back', () => {
  const event = { type: 'points', run: 'a', last_step: 9, points: 9, status: 'finished', version: 0 } as const;

  expect(grown(run('a', 5), event, 100)).toMatchObject({ last_step: 9, points: 9, status: 'finished', updated: 100 });
  expect(grown(run('a', 9), event).last_step).toBe(9);
  expect(grown(run('a', 5), undefined).points).toBe(5);
});
