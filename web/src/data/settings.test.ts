import { expect, test } from 'vitest';
import { byFirstName, command, differs, settingRows } from './settings.ts';

test('each setting that either run has is one line, nested ones too', () => {
  const own = { lr: 0.01, seed: 1, model: { size: 8 }, mine: true };
  const other = { lr: 0.001, seed: 1, model: { size: 16 }, theirs: 'x' };

  expect(settingRows(own, other).filter(differs)).toEqual([
    { key: 'lr', own: '0.01', other: '0.001' },
    { key: 'model.size', own: '8', other: '16' },
    { key: 'mine', own: 'true', other: null },
    { key: 'theirs', own: null, other: 'x' },
  ]);
  expect(settingRows(own, null).some(differs)).toBe(false);
});

test('only large families of nested settings are groups of their own', () => {
  const rows = settingRows({ lr: 1, optim: { eps: 1 }, actor: Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a${i}`, i])) }, null);

  const groups = byFirstName('Other settings', rows);

  expect(groups.map(({ title, rows: mine }) => [title, mine.length])).toEqual([['Other settings', 2], ['actor', 20]]);
});

test('a command can be pasted into a shell', () => {
  expect(command(['train.py', '--name', "it's a test", 'lr=1e-4'])).toBe(`train.py --name 'it'\\''s a test' lr=1e-4`);
});
