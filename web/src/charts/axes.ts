/** The axes of a chart: where ticks lie, and what is written beside them. */
import type uPlot from 'uplot';
import { short } from '../data/format.ts';
import { clockTexts, niceTicks, tickTexts, TIME_STEPS, timeTexts, WHOLE_STEPS } from '../data/ticks.ts';
import type { Colours } from './colours.ts';

const LEFT = 56;
const LETTER = 6.2; // pixels, of the font below
const APART = 38; // pixels between two ticks above each other
const FONT = "11px 'Inter Variable', system-ui, sans-serif";

export function axes(x: string, palette: Colours, linear = true): [uPlot.Axis, uPlot.Axis] {
  const common = {
    stroke: palette.quiet,
    grid: { stroke: palette.grid, width: 1 },
    ticks: { stroke: palette.rule, width: 1, size: 4 },
    font: FONT,
    gap: 4,
  };
  return [
    { ...common, size: x === 'time' ? 40 : 26, space: 70, ...along(x) },
    {
      ...common,
      size: (_, texts) => Math.max(LEFT, 14 + LETTER * Math.max(0, ...(texts ?? []).map((text) => text.length))),
      space: 34,
      ...(linear ? LINEAR : LOGARITHMIC),
    },
  ];
}

const LOGARITHMIC: Partial<uPlot.Axis> = {
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
