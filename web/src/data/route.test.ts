import { expect, test } from 'vitest';
import { link, parse } from './route.ts';

test('an address survives the way there and back', () => {
  const address = link(['metrics', 'policy/approx_kl'], { q: 'a&b=c', run: ['x', 'y'], empty: '' });

  const route = parse(address);

  expect(route.path).toEqual(['metrics', 'policy/approx_kl']);
  expect(route.query.get('q')).toBe('a&b=c');
  expect(route.query.getAll('run')).toEqual(['x', 'y']);
  expect(route.query.has('empty')).toBe(false);
});

test('a stray percent sign breaks nothing', () => {
  expect(parse('#/runs/100%').path).toEqual(['runs', '100%']);
});
