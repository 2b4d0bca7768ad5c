import { expect, test } from 'vitest';
import { differences } from './differences.ts';

test('settings that both have and that differ come first, those of one alone last', () => {
  const own = { lr: 0.01, seed: 1, model: { size: 8 }, mine: true };
  const other = { lr: 0.001, seed: 1, model: { size: 16 }, theirs: 'x' };

  expect(differences(own, other)).toEqual([
    { key: 'lr', own: '0.01', other: '0.001' },
    { key: 'model.size', own: '8', other: '16' },
    { key: 'mine', own: 'true', other: null },
    { key: 'theirs', own: null, other: 'x' },
  ]);
});
