import { expect, test } from 'vitest';
import { clockTexts, decimals, logTicks, niceTicks, tickTexts, timeTexts } from './ticks.ts';

test.each([
  [[0, 0.25, 0.5], 0.25, ['0', '0.25', '0.50']],
  [[0, 100_000, 200_000], 100_000, ['0', '100k', '200k']],
  [[9_500, 10_000, 10_500], 500, ['9.5k', '10.0k', '10.5k']],
  [[1_000_000.05, 1_000_000.1], 0.05, ['1,000,000.05', '1,000,000.10']],
  [[0, 5e20, 1e21], 5e20, ['0', '5e20', '1e21']],
  [[-2e-7, -1.5e-7], 5e-8, ['−2e−7', '−1.5e−7']],
  [[0.1 + 0.2, 0.4], 0.1, ['0.3', '0.4']],
  [[1, null, 100], 1, ['1', '', '100']],
])('%j in steps of %d', (ticks, step, texts) => {
  expect(tickTexts(ticks, step)).toEqual(texts);
});

test('digits behind the point', () => {
  expect([1, 0.5, 0.25, 0.002, 20].map(decimals)).toEqual([0, 1, 2, 3, 0]);
});

test.each([
  [[0, 0.5, 1], 0.5, ['0', '0.5 s', '1.0 s']],
  [[0, 30, 60, 90], 30, ['0', '30s', '1m', '1m 30s']],
  [[0, 43_200, 86_400, 129_600], 43_200, ['0', '12h', '1d', '1d 12h']],
])('%j seconds in steps of %d', (ticks, step, texts) => {
  expect(timeTexts(ticks, step)).toEqual(texts);
});

test('ticks lie at round places', () => {
  expect(niceTicks(0.3, 9.7, 5)).toEqual({ ticks: [2, 4, 6, 8], step: 2 });
  expect(niceTicks(0, 100, 4, [30, 60])).toEqual({ ticks: [0, 30, 60, 90], step: 30 });
  expect(niceTicks(5, 5, 4).ticks).toEqual([5]);
});

test('the day is told once', () => {
  const midnight = new Date(2026, 10, 16).getTime() / 1000;

  expect(clockTexts([midnight - 3600, midnight, midnight + 3600], 3600)).toEqual(['23:00\n2026-11-15', '00:00\n2026-11-16', '01:00']);
  expect(clockTexts([midnight + 5, midnight + 10], 5)).toEqual(['00:00:05\n2026-11-16', '00:00:10']);
  expect(clockTexts([midnight, midnight + 86_400], 86_400)).toEqual(['2026-11-16', '2026-11-17']);
});

test.each([
  [0.5, 1.25, [0.5, 1]],
  [0.0003, 0.04, [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02]],
  [1e-6, 1e6, [1e-6, 1e-3, 1, 1e3, 1e6]],
  [2.1, 2.9, [2.2, 2.4, 2.6, 2.8]],
])('a logarithmic axis from %d to %d', (low, high, ticks) => {
  const found = logTicks(low, high, 5);

  expect(found).toHaveLength(ticks.length);
  found.forEach((tick, i) => expect(tick).toBeCloseTo(ticks[i] as number, 9));
});
