/** From points to what is drawn: columns for uPlot, which of them are lines, and the y range. */
import { align, spread, stack, type Column, type Pairs } from '../data/align.ts';
import type { Points } from '../data/packed.ts';
import { fullRange, padded, robustRange } from '../data/range.ts';
import { smoothed, type Smoothing } from '../data/smooth.ts';

export interface Line {
  label: string;
  /** Place in the palette; lines of one colour belong together. */
  colour: number;
  points: Points;
  /** Which dashes it has; 0 is none. */
  dashed?: number;
  /** What it stands for, where charts share their lines. */
  key?: string;
  /** What it is of all ranks together, if it is no single one of them. */
  ofRanks?: OfRanks | null;
  /** Whether it is drawn over the range of all: a finding speaks of it. */
  told?: boolean;
}

/** The colour of other runs that are shown behind one. */
export const KIN = -1;

const MOST_SHADED = 12; // lines; the ranges of more cover each other

export type OfRanks = 'lowest' | 'median' | 'highest';

export type Kind = 'line' | 'stacked' | 'spread';

export interface Look {
  kind: Kind;
  smoothing: Smoothing;
  log: boolean;
  whole: boolean; // show every outlier rather than the bulk
  logX?: boolean;
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
  look: Look;
  /** What the y range has to take in. */
  ends: Pairs[];
  /** Whether a logarithm exists for all of it; else the axis is linear around zero. */
  positive: boolean;
}

/** `seen` is how much of the x axis is looked at, of which smoothing averages its share. */
export function build(lines: Line[], look: Look, seen: number | null = null): Model {
  if (look.kind === 'stacked' && lines.length > 1 && lines.every((line) => neverNegative(line.points))) {
    return stackedModel(lines, look);
  }
  if (look.kind === 'spread' && lines.length > 2) return spreadModel(lines, look);
  return lineModel(lines, look, seen ?? widest(lines));
}

/** The y range of what lies between two x. */
export function rangeOf({ ends, look }: Model, [from, to]: readonly [number, number]): [number, number] | null {
  const columns = ends.flatMap(({ x, columns: all }) => {
    const first = Math.max(0, before(x, from) - 1); // lines go on to the points beyond the edges
    const stop = Math.min(x.length, before(x, to, true) + 1);
    return all.map((column) => Array.prototype.slice.call(column, first, stop) as number[]);
  });
  if (look.kind === 'stacked') {
    const range = fullRange(columns);
    return range && padded({ low: Math.min(0, range.low), high: range.high });
  }
  const range = look.whole || look.log ? fullRange(columns) : robustRange(columns);
  return range && (look.log ? [range.low, range.high] : padded(range));
}

/** How many of the sorted `x` lie before a place, or at it as well. */
function before(x: ArrayLike<number>, place: number, at = false): number {
  let low = 0;
  let high = x.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = x[middle] as number;
    if (value < place || (at && value === place)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lineModel(lines: Line[], look: Look, width: number): Model {
  const drawn: Drawn[] = [];
  const tables = lines.map(({ points }, line) => {
    const columns: ArrayLike<number>[] = [];
    const add = (role: Drawn['role'], values: ArrayLike<number>): void => {
      columns.push(values);
      drawn.push({ role, line });
    };
    if (!points.raw && lines.length <= MOST_SHADED) {
      add('low', points.low);
      add('high', points.high);
    }
    if (look.smoothing.kind !== 'none') {
      add('faint', points.mean);
      add('main', smoothed(points.x, points.mean, look.smoothing, width));
    } else {
      add('main', points.mean);
    }
    return { x: points.x, columns };
  });
  const data = align(tables);
  const shown = data.slice(1).filter((_, i) => drawn[i]?.role === 'main') as Column[];
  const ends = lines.map(({ points }) => ({
    x: points.x,
    columns: points.raw ? [points.mean] : [points.low, points.high, points.mean],
  }));
  return { data, drawn, shown, look, ends, positive: positive(ends) };
}

function stackedModel(lines: Line[], look: Look): Model {
  const [x, ...columns] = align(lines.map(({ points }) => ({ x: points.x, columns: [points.mean] })));
  const stacked = stack(columns);
  return {
    data: [x, ...stacked],
    drawn: lines.map((_, line) => ({ role: 'area', line })),
    shown: columns,
    look,
    ends: [{ x, columns: [numbers(stacked.at(-1) ?? [])] }],
    positive: false,
  };
}

/** The range over all series, as the server or we ourselves put it together, and over it those that findings name. */
function spreadModel(lines: Line[], look: Look): Model {
  const told = lines.flatMap((line, i) => (line.told ? [i] : []));
  const base = Math.max(0, lines.findIndex((line) => !line.told)); // gives the range its colour
  const range = rangeOfRanks(lines) ?? rangeOfLines(lines);
  const tables = [
    { x: range.x, columns: [range.low, range.high, range.middle] },
    ...lines.map(({ points }) => ({ x: points.x, columns: [points.mean] })),
  ];
  const [x, low, high, middle, ...columns] = align(tables) as [number[], Column, Column, Column, ...Column[]];
  const ends: Pairs[] = [tables[0] as Pairs, ...told.map((i) => tables[i + 1] as Pairs)];
  return {
    data: [x, low, high, middle, ...told.map((i) => columns[i] as Column)],
    drawn: [
      { role: 'low', line: base },
      { role: 'high', line: base },
      { role: 'main', line: base },
      ...told.map((line): Drawn => ({ role: 'main', line })),
    ],
    shown: columns,
    look,
    ends,
    positive: positive(ends),
  };
}

interface Range {
  x: ArrayLike<number>;
  low: ArrayLike<number>;
  middle: ArrayLike<number>;
  high: ArrayLike<number>;
}

/** Of more ranks than are fetched one by one the server gives lowest, median and highest. */
function rangeOfRanks(lines: Line[]): Range | null {
  const of = (which: OfRanks): Points | undefined => lines.find((line) => line.ofRanks === which)?.points;
  const [low, middle, high] = [of('lowest'), of('median'), of('highest')];
  if (!low || !middle || !high) return null;
  const [x, ...columns] = align([
    { x: low.x, columns: [low.low] },
    { x: high.x, columns: [high.high] },
    { x: middle.x, columns: [middle.mean] },
  ]);
  const [lowest, highest, median] = columns.map(numbers) as [number[], number[], number[]];
  return { x, low: lowest, middle: median, high: highest };
}

/** The least and the greatest that any series had at a place, and the median of their means. */
function rangeOfLines(lines: Line[]): Range {
  const aligned = (key: 'low' | 'mean' | 'high'): [number[], ...Column[]] =>
    align(lines.map(({ points }) => ({ x: points.x, columns: [points[key]] })));
  const [x, ...columns] = aligned('mean');
  const bucketed = lines.some(({ points }) => !points.raw);
  const means = spread(columns);
  const low = bucketed ? spread(aligned('low').slice(1) as Column[]).low : means.low;
  const high = bucketed ? spread(aligned('high').slice(1) as Column[]).high : means.high;
  return { x, low: numbers(low), middle: numbers(means.middle), high: numbers(high) };
}

function positive(ends: Pairs[]): boolean {
  const whole = fullRange(ends.flatMap(({ columns }) => columns));
  return whole !== null && whole.low > 0;
}

function widest(lines: Line[]): number {
  return Math.max(0, ...lines.map(({ points: { x } }) => (x.at(-1) ?? 0) - (x[0] ?? 0)));
}

function neverNegative(points: Points): boolean {
  return points.low.every((value) => !(value < 0));
}

function numbers(column: Column): number[] {
  return Array.from(column, (value) => value ?? Number.NaN);
}
