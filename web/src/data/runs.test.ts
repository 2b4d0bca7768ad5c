import { expect, test } from 'vitest';
import type { RunRow } from '../api/types.ts';
import { compile } from './query.ts';
import type { Figures } from './figures.ts';
import { ageOf, differing, fieldOf, fieldsWith, grouped, searchable, sorted, tookOf, type Item } from './runs.ts';

function run(name: string, more: Partial<RunRow> = {}): RunRow {
  return {
    id: name, name, project: 'p', path: name, root: '', status: 'finished', format: '', framework: null,
    algorithm: 'PPO', verdict: null, alarms: { critical: 0, warning: 0, notice: 0, about_log: 0, codes: [] }, outcome: null, outcomes: [],
    last_step: null, planned_steps: null, steps_per_second: null, started: null, ended: null, updated: null,
    age_seconds: null, points: 0, series: 0, tags: [], config: {}, problem: null, partial: false, ...more,
  };
}

const labels = (items: Item[]): string[] => items.map((item) => (item.kind === 'group' ? `[${item.label}]` : item.run.name));
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

  const items = grouped(runs, { by: 'env', closed: new Set(['y']), sort: '-updated', field: fieldOf });

  expect(labels(items)).toEqual(['[x]', 'a', '[y]', '[not set]', 'c']);
});

test('only settings that differ are worth a column', () => {
  const runs = [run('a', { config: { lr: 1, seed: 1 } }), run('b', { config: { lr: 1, seed: 2 } })];

  expect(differing(runs, ['lr', 'seed'], 3)).toEqual(['seed']);
});

test('age counts from the last change, and never backwards', () => {
  expect([ageOf({ updated: 90 }, 100), ageOf({ updated: 110 }, 100), ageOf({ updated: null }, 100)]).toEqual([10, 0, null]);
});

/** One metric of some runs: last, end, lowest, highest. */
function figures(metric: string, values: Record<string, (number | null)[]>, direction: 'higher' | 'lower' = 'higher'): Figures {
  return {
    version: '1',
    columns: new Map([[metric, { asked: metric, metric, title: metric, unit: '', direction, runs: new Map(Object.entries(values)) }]]),
    curves: new Map(),
  };
}

test('all runs are ranked by one outcome, whatever their verdicts rest on', () => {
  const rate = { name: 'success', metric: null, values: [], last: 1, levels: null };
  const runs = [run('failed', { outcome: rate }), run('learned', { outcome: { ...rate, name: 'return', last: 483 } }), run('other')];
  const field = fieldsWith(figures('return', { failed: [9, 9, 9, 9], learned: [480, 483, 9, 490] }), { metric: 'return', kind: 'end' });

  expect(names(sorted(runs, '-outcome', field))).toEqual(['learned', 'failed', 'other']);
  expect(names(runs.filter((one) => compile('outcome>100')(searchable(one, field))))).toEqual(['learned']);
});

test('metrics are searched and sorted by like settings, by any of their figures', () => {
  const runs = [run('low'), run('high'), run('without')];
  const field = fieldsWith(figures('eval/mean_reward', { low: [10, 20, 5, 300], high: [250, 240, 9, 260] }), null);

  expect(names(runs.filter((one) => compile('eval/mean_reward>200')(searchable(one, field))))).toEqual(['high']);
  expect(names(runs.filter((one) => compile('eval/mean_reward:highest>270')(searchable(one, field))))).toEqual(['low']);
  expect(names(sorted(runs, 'eval/mean_reward:last', field))).toEqual(['low', 'high', 'without']);
});

test('the best of a metric is its lowest value where lower is better', () => {
  const lower = figures('eval/loss', { a: [3, 3, 1, 9] }, 'lower');

  expect(fieldsWith(lower, null)(run('a'), 'eval/loss:best')).toBe(1);
});

test('groups are sorted by their size, the share of their bad verdicts and any mean', () => {
  const bad = { word: 'collapsed', reason: '' };
  const good = { word: 'learned', reason: '' };
  const runs = [
    run('a1', { config: { lr: 0.1 }, verdict: bad, last_step: 1 }),
    run('a2', { config: { lr: 0.1 }, verdict: good, last_step: 3 }),
    run('b1', { config: { lr: 0.2 }, verdict: bad, last_step: 10 }),
    run('c1', { config: { lr: 0.3 }, verdict: good, last_step: 5 }),
    run('c2', { config: { lr: 0.3 }, verdict: good, last_step: 5 }),
    run('c3', { config: { lr: 0.3 }, last_step: 5 }),
  ];
  const order = (sort: string): string[] => labels(grouped(runs, { by: 'lr', closed: new Set(['0.1', '0.2', '0.3']), sort, field: fieldOf }));

  expect(order('-size')).toEqual(['[0.3]', '[0.1]', '[0.2]']);
  expect(order('verdict')).toEqual(['[0.2]', '[0.1]', '[0.3]']);
  expect(order('-steps')).toEqual(['[0.2]', '[0.3]', '[0.1]']);
  expect(order('-name')).toEqual(['[0.3]', '[0.2]', '[0.1]']);
});

test('a group tells the mean of its runs with its interval', () => {
  const runs = [run('a', { last_step: 1 }), run('b', { last_step: 3 })];

  const [group] = grouped(runs, { by: 'project', closed: new Set(), sort: '-updated', field: fieldOf });

  expect(group?.kind === 'group' && group.mean('steps')).toEqual({ n: 2, mean: 2, half: expect.closeTo(12.706, 3) as number });
});

test('single precision makes no groups of its own', () => {
  const runs = [run('a', { config: { lr: 0.01 } }), run('b', { config: { lr: Math.fround(0.01) } })];

  expect(labels(grouped(runs, { by: 'lr', closed: new Set(['0.01']), sort: 'name', field: fieldOf }))).toEqual(['[0.01]']);
});

test('a run took as long as from its start to its end, or to its last change', () => {
  expect([tookOf({ started: 10, ended: 25, updated: 99 }), tookOf({ started: 10, ended: null, updated: 30 }), tookOf({ started: null, ended: 3, updated: 3 })]).toEqual([15, 20, null]);
});

test('settings that were varied come before those that only some runs have, and seeds last', () => {
  const runs = [run('a', { config: { seed: 0, batch: 8, lr: 0.1 } }), run('b', { config: { seed: 1, lr: 0.2 } })];

  expect(differing(runs, ['seed', 'batch', 'lr'], 3)).toEqual(['lr', 'batch', 'seed']);
});
