import { expect, test } from 'vitest';
import type { RunRow } from '../api/types.ts';
import { compile } from './query.ts';
import { ageOf, differing, fieldOf, grouped, searchable, sorted } from './runs.ts';

function run(name: string, more: Partial<RunRow> = {}): RunRow {
  return {
    id: name, name, project: 'p', path: name, root: '', status: 'finished', format: '', framework: null,
    algorithm: 'PPO', verdict: null, alarms: { critical: 0, warning: 0, notice: 0, about_log: 0 }, outcome: null,
    last_step: null, planned_steps: null, steps_per_second: null, started: null, ended: null, updated: null,
    age_seconds: null, points: 0, series: 0, tags: [], config: {}, problem: null, partial: false, ...more,
  };
}

const names = (runs: RunRow[]): string[] => runs.map((one) => one.name);

test('short names find the catalog’s settings and endings of nested ones', () => {
  const runs = [
    run('a', { config: { learning_rate: 3e-4 } }),
    run('b', { config: { 'actor.optim.lr': 1e-5, 'actor.optim.warmup': 10 } }),
  ];

  expect(names(runs.filter((one) => compile('lr>1e-4')(searchable(one))))).toEqual(['a']);
  expect(names(runs.filter((one) => compile('warmup=10')(searchable(one))))).toEqual(['b']);
});

test('the worst verdict comes first, and runs without one last', () => {
  const runs = [
    run('none'),
    run('good', { verdict: { word: 'learned', reason: '' } }),
    run('bad', { verdict: { word: 'collapsed', reason: '' } }),
  ];

  expect(names(sorted(runs, 'verdict'))).toEqual(['bad', 'good', 'none']);
  expect(names(sorted(runs, '-verdict'))).toEqual(['good', 'bad', 'none']);
});

test('the outcome of a run is the level that its verdict tells, and only without one the last value', () => {
  const outcome = { name: 'return', metric: null, values: [1, 2], last: 99 };
  const judged = run('judged', { outcome: { ...outcome, levels: { start: 1, best: 6, now: 5 } } });
  const waiting = run('waiting', { outcome: { ...outcome, levels: null } });

  expect(fieldOf(judged, 'outcome')).toBe(5);
  expect(fieldOf(waiting, 'outcome')).toBe(99);
});

test('runs that go on come first and do not jump', () => {
  const runs = [run('a', { status: 'running', updated: 1 }), run('old', { updated: 2 }), run('b', { status: 'running', updated: 3 })];

  expect(names(sorted(runs, '-updated'))).toEqual(['a', 'b', 'old']);
});

test('names sort as people count', () => {
  expect(names(sorted([run('seed10'), run('seed9')], 'name'))).toEqual(['seed9', 'seed10']);
});

test('a closed group hides its runs', () => {
  const runs = [run('a', { config: { env: 'x' } }), run('b', { config: { env: 'y' } }), run('c')];

  const items = grouped(runs, 'env', new Set(['y']));

  expect(items.map((item) => (item.kind === 'group' ? `[${item.label}]` : item.run.name))).toEqual(['[x]', 'a', '[y]', '[not set]', 'c']);
});

test('only settings that differ are worth a column', () => {
  const runs = [run('a', { config: { lr: 1, seed: 1 } }), run('b', { config: { lr: 1, seed: 2 } })];

  expect(differing(runs, ['lr', 'seed'], 3)).toEqual(['seed']);
});

test('age counts from the last change, and never backwards', () => {
  expect([ageOf({ updated: 90 }, 100), ageOf({ updated: 110 }, 100), ageOf({ updated: null }, 100)]).toEqual([10, 0, null]);
});
