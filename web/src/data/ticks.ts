/** What is written beside the ticks of an axis: as many digits as tell them apart, and no more. */

import { moment } from './format.ts';

const UNITS = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const;
const MINUS = '−';
const MOST_DIGITS = 8;

export function tickTexts(ticks: (number | null)[], step: number): string[] {
  const most = ticks.reduce<number>((largest, tick) => Math.max(largest, Math.abs(tick ?? 0)), 0);
  const write = writer(most, step);
  return ticks.map((tick) => (tick === null ? '' : tick === 0 || most === 0 ? '0' : write(tick).replaceAll('-', MINUS)));
}

function writer(most: number, step: number): (tick: number) => string {
  if (most >= 1e15 || most < 1e-3) {
    const digits = Math.max(0, Math.min(MOST_DIGITS, Math.floor(Math.log10(most)) - Math.floor(Math.log10(step)) + 1));
    return (tick) => tick.toExponential(digits).replace(/\.?0+e/, 'e').replace('e+', 'e');
  }
  const [unit, letter] = UNITS.find(([size]) => most >= size && most >= 1e4) ?? [1, ''];
  const digits = decimals(step / unit);
  if (digits <= 3) return (tick) => `${(tick / unit).toFixed(digits)}${letter}`;
  const plain = decimals(step);
  return (tick) => tick.toLocaleString('en', { minimumFractionDigits: plain, maximumFractionDigits: plain });
}

/** How many digits behind the point a number has. */
export function decimals(value: number): number {
  for (let digits = 0; digits < MOST_DIGITS; digits += 1) {
    const shifted = value * 10 ** digits;
    if (Math.abs(shifted - Math.round(shifted)) < 1e-6 * Math.max(1, Math.abs(shifted)) && Math.round(shifted) !== 0) return digits;
  }
  return MOST_DIGITS;
}

/** Round places for about this many ticks between two values, and how far they lie apart. */
export function niceTicks(low: number, high: number, count: number, steps?: number[]): { ticks: number[]; step: number } {
  const least = (high - low) / count;
  if (!(least > 0)) return { ticks: [low], step: Math.abs(low) || 1 };
  const power = 10 ** Math.floor(Math.log10(least));
  const step = steps?.find((one) => one >= least) ?? [1, 2, 2.5, 5, 10].map((n) => n * power).find((one) => one >= least) ?? 10 * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return { ticks: Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step), step };
}

/** Round places on a logarithmic axis: powers of ten over several, else also their doubles and fives, else as on a linear one. */
export function logTicks(low: number, high: number, count: number): number[] {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.floor(Math.log10(high)) - first + 1 }, (_, i) => 10 ** (first + i));
  const inside = (ticks: number[]): number[] => ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
  const tens = inside(powers);
  if (tens.length > 3) return tens.filter((_, i) => i % Math.ceil(tens.length / Math.max(2, count)) === 0);
  const finer = inside(powers.flatMap((power) => [1, 2, 5].map((n) => Number((n * power).toPrecision(1)))));
  return finer.length > 1 ? finer : niceTicks(low, high, count).ticks.filter((tick) => tick > 0);
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** Distances between ticks that people count time in, in seconds. */
export const TIME_STEPS: number[] = [
  ...powers(-3, 0),
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((n) => n * DAY),
];

/** Distances between ticks of what is counted one by one. */
export const WHOLE_STEPS: number[] = powers(0, 19);

function powers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => 10 ** (i + from)).flatMap((n) => [n, 2 * n, 5 * n]);
}

/** Time since the start, as precisely as the ticks lie apart. */
export function timeTexts(ticks: number[], step: number): string[] {
  return ticks.map((tick) => {
    if (tick === 0) return '0';
    if (step < 1) return `${tick.toFixed(decimals(step))} s`;
    const parts: string[] = [];
    let left = Math.round(Math.abs(tick));
    for (const [unit, letter] of [[DAY, 'd'], [HOUR, 'h'], [MINUTE, 'm'], [1, 's']] as const) {
      const count = Math.floor(left / unit);
      left -= count * unit;
      if (count > 0 && unit >= Math.min(step, DAY) / 60) parts.push(`${count}${letter}`);
    }
    return (tick < 0 ? MINUS : '') + parts.slice(0, 3).join(' ');
  });
}

/** Moments of a clock on the wall; the day is told below the first of them, and where it changes. */
export function clockTexts(ticks: number[], step: number): string[] {
  let day = '';
  return ticks.map((tick) => {
    const [date = '', time = ''] = moment(tick, true).split(' ');
    if (step >= DAY) return date;
    const part = tick % 1 ? `${time}${(tick % 1).toFixed(decimals(step % 1)).slice(1)}` : step < MINUTE ? time : time.slice(0, 5);
    const text = date === day ? part : `${part}\n${date}`;
    day = date;
    return text;
  });
}
