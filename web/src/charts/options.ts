/** uPlot's options for a model: axes, series, bands, and how it is zoomed. */
import uPlot from 'uplot';
import { duration, moment, whole } from '../data/format.ts';
import { fullRange } from '../data/range.ts';
import { axes as axesOf } from './axes.ts';
import { faint, seriesColour, type Colours } from './colours.ts';
import type { Line, Look, Model } from './model.ts';

/** Strips of evidence: only the last has an axis below, and none is as roomy as a chart. */
export type Axes = 'both' | 'below' | 'none';

export interface Setting {
  width: number;
  height: number;
  x: string;
  look: Look;
  lines: Line[];
  model: Model;
  palette: Colours;
  sync: string | null;
  /** Whether the line at the pointer is lifted and all others fade. */
  lift: boolean;
  /** Read at each drawing, as they change without a new chart. */
  xRange: () => [number, number];
  yRange: () => [number, number];
  hooks: uPlot.Hooks.Arrays;
  axes: Axes;
  /** Whether the y range was chosen. */
  fixed: boolean;
  /** Room above the drawing, in pixels. */
  top: number;
}

const DASHES = [[5, 4], [2, 3], [10, 4], [10, 3, 2, 3], [2, 6], [16, 4], [5, 3, 2, 3]];
const LOG = 3;
const ARCSINH = 4;
const LOG_SPARE = 0.05; // of the decades shown
const NEAR = 24; // pixels from a line at which the pointer is at it
const MANY = 8; // lines, of which each is drawn a little thinner

export function options(setting: Setting): uPlot.Options {
  const { width, height, x, look, lines, model, palette, sync } = setting;
  const distr = look.log && look.kind !== 'stacked' ? (model.positive ? LOG : ARCSINH) : 1;
  return {
    width,
    height,
    padding: [setting.top, x === 'time' ? 26 : 10, setting.axes === 'none' ? 7 : 0, 0],
    legend: { show: false },
    scales: {
      x: { time: x === 'time', range: setting.xRange, ...(look.logX ? { distr: LOG } : {}) },
      y: {
        distr,
        ...(setting.fixed && (distr === 1 || setting.yRange()[0] > 0)
          ? { range: setting.yRange }
          : distr === LOG
          ? { range: (_: uPlot, low: number, high: number) => logRange(low || 1e-9, high || 1) }
          : distr === ARCSINH
            ? { asinh: asinhPart(model), range: (_: uPlot, low: number, high: number) => uPlot.rangeAsinh(low, high, 10, true) }
            : { range: setting.yRange }),
      },
    },
    axes: axesOf(x, palette, { linear: distr === 1, log: distr === LOG, below: setting.axes !== 'none', strip: setting.axes !== 'both', logX: look.logX ?? false }),
    series: [{}, ...model.drawn.map(({ role, line }) => series(role, lines[line] as Line, model, palette))],
    bands: bands(model, lines, palette),
    cursor: {
      drag: { x: true, y: false, setScale: false },
      y: false,
      points: { size: 6 },
      focus: { prox: setting.lift ? NEAR : -1 },
      ...(sync === null ? {} : { sync: { key: sync, setSeries: false, scales: ['x', null] as [string, null] } }),
    },
    ...(setting.lift ? { focus: { alpha: 0.17 } } : {}),
    hooks: setting.hooks,
  };
}

function series(role: string, line: Line, model: Model, palette: Colours): uPlot.Series {
  const colour = seriesColour(palette, line.colour);
  const few = model.data[0].length <= 40;
  switch (role) {
    case 'low':
    case 'high':
      return { stroke: faint(colour, 0.28), width: 1, points: { show: false } };
    case 'faint':
      return { stroke: faint(colour, 0.3), width: 1, points: { show: false } };
    case 'area':
      return { stroke: colour, width: 1, fill: faint(colour, 0.5), points: { show: false } };
    default:
      return {
        stroke: colour,
        width: model.shown.length > MANY ? 1.3 : 1.6,
        points: few ? { show: true, size: 4, fill: colour } : { show: false },
        ...(line.dashed ? { dash: DASHES[(line.dashed - 1) % DASHES.length] as number[] } : {}),
      };
  }
}

function bands(model: Model, lines: Line[], palette: Colours): uPlot.Band[] {
  const made: uPlot.Band[] = [];
  model.drawn.forEach(({ role, line }, i) => {
    const colour = seriesColour(palette, (lines[line] as Line).colour);
    if (role === 'high') made.push({ series: [i + 1, i], fill: faint(colour, 0.2) });
    if (role === 'area' && i > 0) made.push({ series: [i + 1, i], fill: faint(colour, 0.5) });
  });
  return made;
}

/** A little more than the data, as far below as above. */
function logRange(low: number, high: number): [number, number] {
  const spare = Math.max(1.05, (high / low) ** LOG_SPARE);
  return [low / spare, high * spare];
}

/** Below this size the arcsinh axis is linear: a hundredth of the largest value, roundly. */
function asinhPart(model: Model): number {
  const range = fullRange(model.ends.flatMap(({ columns }) => columns));
  const largest = range ? Math.max(Math.abs(range.low), Math.abs(range.high)) : 0;
  return largest > 0 ? 10 ** (Math.floor(Math.log10(largest)) - 2) : 1;
}

export function xText(value: number | null | undefined, x: string): string {
  if (value === null || value === undefined) return '';
  if (x === 'time') return moment(value, true);
  if (x === 'relative') return duration(value);
  return `${x} ${whole(x === 'step' ? Math.round(value) : value)}`;
}
