import { expect, test } from 'vitest';
import { diff } from './words.ts';

test('shows what went and what came', () => {
  expect(diff('the answer is 41', 'the answer is 42')).toEqual([
    { kind: 'same', text: 'the answer is ' },
    { kind: 'gone', text: '41' },
    { kind: 'new', text: '42' },
  ]);
});

test.each([
  ['', 'new text'],
  ['a b c', 'c b a'],
  ['x\n y', 'x\n\n y z'],
])('both texts can be put together again: %j, %j', (before, after) => {
  const pieces = diff(before, after);
  const without = (kind: string): string => pieces.filter((p) => p.kind !== kind).map((p) => p.text).join('');

  expect(without('new')).toBe(before);
  expect(without('gone')).toBe(after);
});
