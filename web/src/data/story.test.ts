import { expect, test } from 'vitest';
import type { Chart, Finding } from '../api/types.ts';
import { storyOf } from './story.ts';

function chart(key: string): Chart {
  return { key, metric: key, kind: 'line', names: [{ key, name: key }] } as Chart;
}

function finding(code: string, series: string, first: number, more: Partial<Finding> = {}): Finding {
  return { code, series, also: [], severity: 'critical', span: { first, last: 100, count: 1 }, follows: [], ...more } as Finding;
}

test('the cause comes first, then what followed in the order of time', () => {
  const effects = [finding('VAL001', 'value/loss', 30), finding('KL001', 'policy/kl', 20)];
  const story = storyOf(finding('LR001', 'lr', 20, { follows: effects }), ['lr', 'value/loss', 'policy/kl'].map(chart), null);

  expect(story.strips.map((strip) => strip.codes)).toEqual([['LR001'], ['KL001'], ['VAL001']]);
  expect(story.rest).toEqual([]);
});

test('findings on one series share a strip, and the outcome is not told twice', () => {
  const effects = [finding('KL001', 'policy/kl', 20), finding('KL002', 'policy/kl', 25), finding('REW003', 'return', 40)];
  const story = storyOf(finding('LR001', 'lr', 20, { follows: effects }), ['lr', 'policy/kl', 'return'].map(chart), 'return');

  expect(story.strips.map((strip) => strip.codes)).toEqual([['LR001'], ['KL001', 'KL002']]);
  expect(story.rest.map((one) => one.code)).toEqual(['REW003']);
});

test('without a chart of its series a finding has no strip', () => {
  expect(storyOf(finding('LOG001', 'gone', 0), [chart('lr')], null).strips).toEqual([]);
});
