/** From points to what is drawn: columns for uPlot, which of them are lines, and the y range. */
import { align, spread, stack, type Column } from '../data/align.ts';
import type { Points } from '../data/packed.ts';
import { fullRange, padded, robustRange } from '../data/range.ts';
import { smooth } from '../data/smooth.ts';

export interface Line {
  label: string;
  /** Place in the palette; lines of one colour belong together. */
  colour: number;
  points: Points;
  dashed?: boolean;
}

export type Kind = 'line' | 'stacked' | 'spread';

export interface Look {
  kind: Kind;
  smoothing: number; // share of the x range
  log: boolean;
  whole: boolean; // show every outlier rather than the bulk
}

export interface Drawn {
  role: 'low' | 'high' | 'faint' | 'main' | 'area';
  line: number;
}

export interface Model {
  data: [number[], ...Column[]];
  drawn: Drawn[];
  /** Columns whose values the crosshair shows, one a line. */
  shown: Column[];
  range: [number, number] | null;
  cut: boolean;
  /** Whether a logarithm exists for all of it; else the axis is linear around zero. */
  positive: boolean;
}

export function build(lines: Line[], look: Look): Model {
  if (look.kind === 'stacked' && lines.length > 1 && lines.every((line) => neverNegative(line.points))) {
    return stackedModel(lines);
  }
  if (look.kind === 'spread' && lines.length > 2) return spreadModel(lines, look);
  return lineModel(lines, look);
}

function lineModel(lines: Line[], look: Look): Model {
  const drawn: Drawn[] = [];
  const tables = lines.map(({ points }, line) => {
    const columns: ArrayLike<number>[] = [];
    const add = (role: Drawn['role'], values: ArrayLike<number>): void => {
      columns.push(values);
      drawn.push({ role, line });
    };
    if (!points.raw) {
      add('low', points.low);
      add('high', points.high);
    }
    if (look.smoothing > 0) {
      add('faint', points.mean);
      add('main', smooth(points.x, points.mean, look.smoothing));
    } else {
      add('main', points.mean);
    }
    return { x: points.x, columns };
  });
  const data = align(tables);
  const shown = data.slice(1).filter((_, i) => drawn[i]?.role === 'main') as Column[];
  const ends = lines.flatMap(({ points }) => (points.raw ? [points.mean] : [points.low, points.high]));
  const middle = lines.map(({ points }) => points.mean);
  return { data, drawn, shown, ...ranged(look, ends, middle) };
}

function stackedModel(lines: Line[]): Model {
  const [x, ...columns] = align(lines.map(({ points }) => ({ x: points.x, columns: [points.mean] })));
  const stacked = stack(columns);
  const top = stacked.at(-1) ?? [];
  const range = fullRange([numbers(top)]);
  return {
    data: [x, ...stacked],
    drawn: lines.map((_, line) => ({ role: 'area', line })),
    shown: columns,
    range: range && padded({ low: 0, high: range.high }),
    cut: false,
    positive: false,
  };
}

function spreadModel(lines: Line[], look: Look): Model {
  const [x, ...columns] = align(lines.map(({ points }) => ({ x: points.x, columns: [points.mean] })));
  const { low, middle, high } = spread(columns);
  return {
    data: [x, low, high, middle],
    drawn: [
      { role: 'low', line: 0 },
      { role: 'high', line: 0 },
      { role: 'main', line: 0 },
    ],
    shown: columns,
    ...ranged(look, [numbers(low), numbers(high)], [numbers(middle)]),
  };
}

function ranged(look: Look, ends: ArrayLike<number>[], middle: ArrayLike<number>[]): Pick<Model, 'range' | 'cut' | 'positive'> {
  const whole = fullRange(ends);
  const positive = whole !== null && whole.low > 0;
  const range = look.whole || look.log ? whole : robustRange([...ends, ...middle]);
  if (range === null) return { range: null, cut: false, positive };
  return { range: look.log ? [range.low, range.high] : padded(range), cut: range.cut, positive };
}

function neverNegative(points: Points): boolean {
  return points.low.every((value) => !(value < 0));
}

function numbers(column: Column): number[] {
  return column.filter((value) => typeof value === 'number');
}
