import { expect, test } from 'vitest';
import type { Chart, Finding } from '../api/types.ts';
import { isAlarm, stretches, worstFirst } from './findings.ts';

function finding(code: string, series: string, more: Partial<Finding> = {}): Finding {
  return {
    code, name: code, severity: 'warning', message: '', series, metric: null, span: { first: 1, last: 2, count: 2 },
    first_seen: null, lead: null, causes: [], advice: '', quotes: [], samples: [], limit: null, also: [], preview: false, accepted: null,
    area: 'policy', about_log: false, follows: [], ...more,
  };
}

function chart(name: string, findings: number[]): Pick<Chart, 'metric' | 'names' | 'findings'> {
  const series = { key: name, name, metric: null, labels: {}, rank: null, told: false, points: 1, nonfinite: 0, first_step: 0, last_step: 9, last: 0 };
  return { metric: null, names: [series], findings };
}

test('the worst comes first', () => {
  const told = worstFirst([finding('A', 'x', { severity: 'notice' }), finding('B', 'x', { severity: 'critical' })]);

  expect(told.map(({ finding: { code }, index }) => [code, index])).toEqual([['B', 1], ['A', 0]]);
});

test('what is about the log is not an alarm, whatever its severity', () => {
  expect(isAlarm(finding('KL001', 'kl'))).toBe(true);
  expect(isAlarm(finding('KL001', 'kl', { severity: 'notice' }))).toBe(false);
  expect(isAlarm(finding('DATA003', 'kl', { severity: 'critical', about_log: true }))).toBe(false);
});

test('a consequence is shaded in its own chart, where it happened', () => {
  const effect = finding('E', 'loss', { span: { first: 50, last: 60, count: 3 }, severity: 'notice' });
  const cause = finding('C', 'kl', { follows: [effect] });

  expect(stretches(chart('loss', [0]), [cause])).toEqual([{ code: 'E', message: '', first: 50, last: 60, severity: 'notice', index: 0, own: true }]);
});

test('where a finding shows as well it is not the chart’s own', () => {
  const [stretch] = stretches(chart('entropy', [0]), [finding('C', 'kl', { also: ['entropy'] })]);

  expect(stretch?.own).toBe(false);
});
