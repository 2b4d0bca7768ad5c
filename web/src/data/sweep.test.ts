import { expect, test } from 'vitest';
import type { SweepAnswer, SweepSetting } from '../api/types.ts';
import { apart, axisOf, combinations, keepsOf, keptRuns, meansAlong, readKeeps, searchFor, usualRange, writeKeep } from './sweep.ts';

const rate: SweepSetting = { key: 'lr', numeric: true, log: true, choices: [0.001, 0.01, 0.1], values: [0.001, 0.01, 0.1, null] };
const kind: SweepSetting = { key: 'opt', numeric: false, log: false, choices: ['adam', 'sgd'], values: ['adam', 'sgd', 'sgd', 'adam'] };
const run = (id: string, outcome: number | null): SweepAnswer['runs'][number] => ({ id, name: id, verdict: 'learned', failed: false, outcome, rules: [] });
const found: SweepAnswer = {
  project: 'p', metric: 'm', title: 'M', unit: '', direction: 'higher', sentence: '', outcomes: [],
  runs: [run('a', 1), run('b', 2), run('c', 3), run('d', null)],
  settings: [rate, kind],
  regions: [],
};

test('an axis has its values in order, logarithms evenly apart, and words by their number', () => {
  const axis = axisOf(rate);

  const places = [0.001, 0.01, 0.1].map((value) => axis.at(value) ?? -1);
  expect((places[0] as number) + (places[2] as number)).toBeCloseTo(2 * (places[1] as number));
  expect(axis.valueAt(places[1] as number)).toBeCloseTo(0.01);
  expect(axis.at(null)).toBeNull();
  expect(axis.ticks.map((tick) => tick.text)).toEqual(['0.001', '0.01', '0.1']);
  expect(axisOf(kind).at('sgd')).toBeGreaterThan(axisOf(kind).at('adam') as number);
});

test('ranges are kept in the address and keep the runs inside them', () => {
  const keeps = [{ key: 'lr', low: 0.01, high: null }, { key: 'a:b', low: null, high: 2 }];

  expect(readKeeps(keeps.map(writeKeep))).toEqual(keeps);
  expect(readKeeps(['nonsense'])).toEqual([]);
  expect(keptRuns(found, keeps.slice(0, 1))).toEqual([false, true, true, false]);
  expect(keptRuns(found, [{ key: 'opt', low: 1, high: 1 }])).toEqual([false, true, true, false]);
});

test('a region is a range that the list can be searched by', () => {
  const region = {
    condition: '', runs: [], mean: null, half: null, failed: 0, typical: [], clearly_best: false,
    bounds: [{ key: 'lr', low: 0.01, high: null, words: [] }, { key: 'opt', low: null, high: null, words: ['sgd'] }],
  };

  const keeps = keepsOf(found, region);

  expect(keeps).toEqual([{ key: 'lr', low: 0.01, high: null }, { key: 'opt', low: 1, high: 1 }]);
  expect(searchFor(found, keeps)).toBe('project=p lr>=0.01 opt=sgd');
});

test('means are of each value, and of runs that are kept', () => {
  const means = meansAlong(found, kind, axisOf(kind), [true, true, true, true]);

  expect(means.map(({ mean }) => [mean.n, mean.mean])).toEqual([[1, 1], [2, 2.5]]);
  expect(meansAlong(found, kind, axisOf(kind), [true, false, false, true])).toHaveLength(1);
});

test('one run that diverged does not flatten all others', () => {
  expect(usualRange([1, 2, 3, 4, 5, -2e6])).toEqual([-11, 5]);
  expect(usualRange([1, 2, 3])).toEqual([1, 3]);
  expect(usualRange([])).toEqual([0, 1]);
});

test('seeds of a combination are one line, the best mean first, and what has no outcome last', () => {
  const told = combinations(found, [kind], [true, true, true, true]);

  expect(told.map(({ values, runs, mean }) => [values, runs, mean?.mean])).toEqual([[['sgd'], [1, 2], 2.5], [['adam'], [0, 3], 1]]);
  expect(combinations({ ...found, direction: 'lower' }, [kind], [true, true, true, true])[0]?.values).toEqual(['adam']);
  expect(combinations(found, [rate], [true, false, false, true]).map((one) => one.values)).toEqual([[0.001], [null]]);
});

test('ticks that would touch are left out, the numbers of long values are short', () => {
  const long = axisOf({ key: 'flops', numeric: true, log: false, choices: [1.2345678e15, 1.2345679e15, 9e15], values: [] });

  expect(long.ticks.map((tick) => tick.text)).toEqual(['1.23e15', '1.23e15', '9e15']);
  expect(apart(long.ticks, (place) => 100 * place, 10)).toHaveLength(2);
});
