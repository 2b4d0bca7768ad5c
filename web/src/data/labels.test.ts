import { expect, test } from 'vitest';
import { labelsOf } from './labels.ts';

const name = (key: string, labels: Record<string, string> = {}, rank: number | null = null) => ({ key, labels, rank });

test('labels tell series apart, and names where labels do not', () => {
  expect(labelsOf([name('r/a', { part: 'a' }), name('r/b', { part: 'b' })])).toEqual(['a', 'b']);
  expect(labelsOf([name('x/a', { part: 'a' }), name('y/a', { part: 'a' })])).toEqual(['x/a', 'y/a']);
  expect(labelsOf([name('loss', {}, 0), name('loss', {}, 1)])).toEqual(['rank 0', 'rank 1']);
});

test('a series alone goes by its name', () => {
  expect(labelsOf([name('r/a', { part: 'a' })])).toEqual(['r/a']);
});
