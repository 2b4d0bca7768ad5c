import { expect, test } from 'vitest';
import { lanes, type Happening } from './timeline.ts';

const event = (kind: Happening['kind'], step: number | null, last: number | null = null): Happening =>
  ({ kind, step, last_step: last, time: null, name: kind, text: '', severity: kind === 'finding' ? 'warning' : null, change: null });

test('events lie in lanes by kind at their share of the run', () => {
  const { lanes: found, last } = lanes([event('start', null), event('finding', 50, 100), event('checkpoint', 200), event('end', 200)]);

  expect(found.map((lane) => lane.title)).toEqual(['Warnings', 'Starts and end', 'Checkpoints']);
  expect(found[0]?.marks[0]).toMatchObject({ index: 1, from: 0, to: 1 / 3 });
  expect(found[1]?.marks.map((mark) => mark.from)).toEqual([0, 1]);
  expect(last).toBe(200);
});

test('what lasts at the same time lies in rows of its own', () => {
  const [lane] = lanes([event('finding', 0, 100), event('finding', 0, 100), event('finding', 150, 200)]).lanes;

  expect(lane?.rows).toBe(2);
  expect(lane?.marks.map((mark) => mark.row)).toEqual([0, 1, 0]);
});
