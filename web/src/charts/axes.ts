/** The axes of a chart: where ticks lie, and what is written beside them. */
import type uPlot from 'uplot';
import { short } from '../data/format.ts';
import { clockTexts, logTicks, niceTicks, tickTexts, TIME_STEPS, timeTexts, WHOLE_STEPS } from '../data/ticks.ts';
import type { Colours } from './colours.ts';

const LEFT = 44;
const NARROW = 52; // pixels, of a strip
const LETTER = 6.2; // pixels, of the font below
const APART = 38; // pixels between two ticks above each other
const FONT = "11px 'Inter Variable', system-ui, sans-serif";

export interface Shape {
  linear?: boolean;
  /** Whether it is logarithmic, and not around zero. */
  log?: boolean;
  /** Whether there is an axis below the drawing. */
  below?: boolean;
  /** Whether it is so low that two ticks have to do. */
  strip?: boolean;
  logX?: boolean;
}

export function axes(x: string, palette: Colours, { linear = true, log = false, below = true, strip = false, logX = false }: Shape = {}): [uPlot.Axis, uPlot.Axis] {
  const common = {
    stroke: palette.quiet,
    grid: { stroke: palette.grid, width: 1 },
    ticks: { stroke: palette.rule, width: 1, size: 4 },
    font: FONT,
    gap: 4,
  };
  return [
    { ...common, show: below, size: x === 'time' ? 40 : 22, space: 70, ...(logX ? LOG_X : along(x)) },
    {
      ...common,
      size: strip ? NARROW : (_, texts) => Math.max(LEFT, 14 + LETTER * Math.max(0, ...(texts ?? []).map((text) => text.length))),
      space: strip ? 15 : 26,
      ...(strip ? { grid: { show: false }, ticks: { show: false } } : {}),
      ...(linear ? (strip ? ENDS : LINEAR) : !log ? AROUND_ZERO : strip ? POWERS : LOGARITHMIC),
    },
  ];
}

/** The ends of what a strip shows, roundly. */
const ENDS: Partial<uPlot.Axis> = {
  splits: (_, _axis, low, high) => {
    const { ticks } = niceTicks(low, high, 3);
    return ticks.length > 2 ? [ticks[0] as number, ticks.at(-1) as number] : ticks;
  },
  values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : short(tick))),
};
/** The ends of a logarithmic strip, roundly. */
const POWERS: Partial<uPlot.Axis> = {
  splits: (_, _axis, low, high) => {
    const ticks = logTicks(low, high, 3);
    return ticks.length > 2 ? [ticks[0] as number, ticks.at(-1) as number] : ticks;
  },
  filter: (_, ticks) => ticks,
  values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : short(tick))),
};
const LOG_X: Partial<uPlot.Axis> = {
  values: (_, ticks) => ticks.map((tick) => (tick !== null && Number.isInteger(Math.log10(tick)) ? short(tick) : '')),
};

const LOGARITHMIC: Partial<uPlot.Axis> = {
  splits: (u, _axis, low, high) => logTicks(low, high, Math.max(2, u.height / APART)),
  filter: (_, ticks) => ticks,
  values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : short(tick))),
};

/** Around zero, where uPlot's own ticks will do. */
const AROUND_ZERO: Partial<uPlot.Axis> = {
  values: (_, ticks) => ticks.map((tick) => (tick === null ? '' : short(tick))),
};

/** uPlot's own ticks end at 1e-16, which some metrics are far below. */
const LINEAR: Partial<uPlot.Axis> = {
  splits: (u, _axis, low, high) => niceTicks(low, high, Math.max(2, u.height / APART)).ticks,
  values: (_, ticks) => tickTexts(ticks, Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 1))),
};

function along(x: string): Partial<uPlot.Axis> {
  if (x === 'time') return { values: (_, ticks, _axis, _space, step) => clockTexts(ticks, step) };
  if (x === 'relative') return { incrs: TIME_STEPS, values: (_, ticks, _axis, _space, step) => timeTexts(ticks, step) };
  return { incrs: WHOLE_STEPS, values: (_, ticks, _axis, _space, step) => tickTexts(ticks, step) };
}
