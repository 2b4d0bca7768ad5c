/** A source whose answers and points came with the page. */
import { ApiError } from '../api/client.ts';
import type { Params, Source, Wanted } from '../api/source.ts';
import type { Chart, RunDetail } from '../api/types.ts';
import { placeOn, type Place } from '../data/clock.ts';
import { unpack, type Points } from '../data/packed.ts';
import { clockOf, cut, over } from './axis.ts';
import { coarse } from './coarse.ts';

export interface Said {
  run: string;
  made: number;
  version: string;
  /** When the run began; times of points count from there. */
  start: number;
  answers: Record<string, unknown>;
}

export function embedded(said: Said, buffer: ArrayBuffer): Source {
  const lasts = lastsOf(said.answers[`runs/${said.run}`] as Pick<RunDetail, 'charts'>);
  const all = new Map(unpack(buffer).map((points) => [points.name, ending(points, lasts.get(points.name))]));

  function axisOf(points: Points, x: string): ArrayLike<number> {
    if (x === 'step') return points.x;
    const seconds = points.time ?? [];
    if (x === 'relative') return seconds;
    if (x === 'time') return Float64Array.from(seconds, (second) => said.start + second);
    const counter = all.get(x);
    if (!counter) throw new ApiError(404, `this run has no axis ${x}`);
    const place = placeOn(counter.x, counter.mean);
    return Float64Array.from(points.x, (step) => place(step) ?? Number.NaN);
  }

  function one(key: string, { x, from, to, buckets }: Wanted): Points {
    const points = all.get(key);
    if (!points) throw new ApiError(404, `this run has no series ${key}`);
    return coarse(cut(x === 'step' ? points : over(points, axisOf(points, x)), from, to), buckets);
  }

  return {
    json: (path: string, params: Params): Promise<unknown> => {
      const name = typeof params['name'] === 'string' ? `?name=${params['name']}` : '';
      const asked = `${path.split('/').map(decodeURIComponent).join('/')}${name}`;
      const answer = said.answers[asked];
      return answer === undefined ? Promise.reject(new ApiError(404, 'This report does not say more about it.')) : Promise.resolve(answer);
    },
    put: () => Promise.reject(new ApiError(405, 'A report cannot be changed.')),
    series: async (wanted, keys) => keys.map((key) => one(key, wanted)),
    seriesNow: (wanted, keys) => keys.map((key) => one(key, wanted)),
    place: async (_, x, charts): Promise<Place> => {
      const points = longest(charts, all);
      return points ? clockOf(points, axisOf(points, x)) : () => null;
    },
  };
}

/** The last value of each series, which buckets do not tell. */
function lastsOf({ charts }: Pick<RunDetail, 'charts'>): Map<string, number | null | undefined> {
  return new Map(charts.flatMap((chart) => chart.names).map((name) => [name.key, name.last]));
}

function ending(points: Points, value: number | null | undefined): Points {
  if (points.raw || typeof value !== 'number') return points;
  const last = points.mean.slice();
  last[last.length - 1] = value;
  return { ...points, last };
}

function longest(charts: Chart[], all: Map<string, Points>): Points | null {
  const found = charts.flatMap((chart) => chart.names).flatMap((name) => all.get(name.key) ?? []);
  return found.reduce<Points | null>((best, points) => (best && best.count >= points.count ? best : points), null);
}
