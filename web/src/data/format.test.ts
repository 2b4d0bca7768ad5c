import { expect, test } from 'vitest';
import { ago, duration, few, levels, number, scalar, short, whole, measured } from './format.ts';

test.each([
  [0, '0'],
  [0.1 + 0.2, '0.3'],
  [1234567, '1,234,567'],
  [6812.3, '6,812'],
  [-0.00001234, '−1.23e−5'],
  [3.2e9, '3.2e9'],
  [1e-5, '1e−5'],
  [Number.NaN, 'NaN'],
  [-Infinity, '−∞'],
  [null, '–'],
])('%s reads %s', (value, text) => {
  expect(number(value)).toBe(text);
});

test.each([
  [950, '950'],
  [102400, '102k'],
  [2_500_000, '2.5M'],
])('%s is %s in short', (value, text) => {
  expect(short(value)).toBe(text);
});

test.each([
  [0.02, '20 ms'],
  [1.26, '1.3 s'],
  [59, '59 s'],
  [59.9, '1 min'],
  [7260, '2 h 1 min'],
  [7199, '2 h 0 min'],
  [200000, '2.3 d'],
])('%s seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test('the past in round numbers', () => {
  expect([ago(2), ago(5300), ago(200000)]).toEqual(['now', '1 h ago', '2.3 d ago']);
});

test('settings keep their words', () => {
  expect([scalar(true), scalar('adam'), scalar(0.0003), scalar([1, 2])]).toEqual(['true', 'adam', '0.0003', '[1,2]']);
});

test('settings keep their digits', () => {
  expect([scalar(12345678), scalar(0.1 + 0.2), scalar(1e-6), scalar(-2.5e20)]).toEqual(['12345678', '0.3', '1e-6', '-250000000000000000000']);
});

test('steps are told to the last one', () => {
  expect([whole(12345678), whole(-3), whole(1e15)]).toEqual(['12,345,678', '−3', '1e15']);
});

test('a few words are listed, of many the rest is counted', () => {
  expect(few(['a', 'b'])).toBe('a, b');
  expect(few(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more');
});

test('levels are told only of what was judged', () => {
  expect(levels({ levels: { start: 0.07031, best: 0.95, now: 0.949 } })).toBe('start 0.07031, best 0.95, now 0.949');
  expect(levels({ levels: null })).toBe('');
});

test.each([
  [{ mean: 250.4567, half: 10.3 }, { mean: '250', half: '10' }],
  [{ mean: 0.0103214, half: 0.00212 }, { mean: '0.0103', half: '0.0021' }],
  [{ mean: 0.999823, half: 0.000261 }, { mean: '0.9998', half: '0.0003' }],
  [{ mean: 151.3, half: 206.4 }, { mean: '150', half: '210' }],
  [{ mean: 3.14159, half: null }, { mean: '3.142', half: null }],
  [{ mean: 2, half: 0 }, { mean: '2', half: '0' }],
])('%s has as many digits as its interval bears out', (mean, told) => {
  expect(measured(mean)).toEqual(told);
});

test('a setting in single precision is the number that was typed', () => {
  expect([Math.fround(0.01), Math.fround(3e-4), 0.1 + 0.2, 1 / 3, 16777217].map(scalar)).toEqual(['0.01', '0.0003', '0.3', '0.333333333333333', '16777217']);
});
