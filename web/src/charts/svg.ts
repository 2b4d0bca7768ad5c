/** A chart as a drawing that papers and slides can scale. */
import type { HealthyBand } from '../api/types.ts';
import type { Column } from '../data/align.ts';
import { moment, short } from '../data/format.ts';
import { niceTicks, tickTexts, TIME_STEPS, timeTexts, WHOLE_STEPS } from '../data/ticks.ts';
import { seriesColour, type Colours } from './colours.ts';
import { rangeOf, type Line, type Model } from './model.ts';

export interface Picture {
  title: string;
  x: string;
  lines: Line[];
  model: Model;
  xRange: [number, number];
  log: boolean;
  band?: Pick<HealthyBand, 'low' | 'high'> | null;
}

type Scale = (value: number) => number;

const WIDTH = 720;
const HEIGHT = 380;
const FRAME = { left: 64, right: 16, top: 52, bottom: 40 };
const RIGHT = WIDTH - FRAME.right;
const BOTTOM = HEIGHT - FRAME.bottom;

export function svg(picture: Picture, palette: Colours): string {
  const { title, x, lines, model, xRange, band } = picture;
  const yRange = rangeOf(model, xRange) ?? [0, 1];
  const logarithmic = picture.log && model.positive;
  const px = scale(xRange, [FRAME.left, RIGHT], false);
  const py = scale(yRange, [BOTTOM, FRAME.top], logarithmic);
  const legend = lines.map(
    (line, i) => `<tspan fill="${seriesColour(palette, line.colour)}"${i ? ' dx="14"' : ''}>${escape(line.label)}</tspan>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="11" fill="${palette.quiet}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="${palette.sheet}"/>
<clipPath id="frame"><rect x="${FRAME.left}" y="${FRAME.top}" width="${RIGHT - FRAME.left}" height="${BOTTOM - FRAME.top}"/></clipPath>
<text x="${FRAME.left}" y="22" font-size="14" font-weight="600" fill="${palette.ink}">${escape(title)}</text>
<text x="${FRAME.left}" y="40">${legend.join('')}</text>
${grid(x, xRange, px, yRange, py, logarithmic, palette).join('\n')}
<g clip-path="url(#frame)">
${band ? healthy(band, py, palette) : ''}
${drawn(model, lines, px, py, palette).join('\n')}
</g>
<text x="${RIGHT}" y="${HEIGHT - 6}" text-anchor="end">${escape(x)}</text>
</svg>
`;
}

function scale([low, high]: [number, number], [start, end]: [number, number], logarithmic: boolean): Scale {
  const of: Scale = logarithmic ? Math.log10 : (value) => value;
  const [from, width] = [of(low), of(high) - of(low)];
  return (value) => start + ((of(value) - from) / (width || 1)) * (end - start);
}

function grid(x: string, xRange: [number, number], px: Scale, yRange: [number, number], py: Scale, logarithmic: boolean, palette: Colours): string[] {
  const along = xTicks(x, xRange).map(
    ([at, text]) => `<text x="${fixed(px(at))}" y="${BOTTOM + 18}" text-anchor="middle">${text}</text>`,
  );
  const up = yTicks(yRange, logarithmic).map(
    ([at, text]) =>
      `<line x1="${FRAME.left}" x2="${RIGHT}" y1="${fixed(py(at))}" y2="${fixed(py(at))}" stroke="${palette.rule}"/>` +
      `<text x="${FRAME.left - 6}" y="${fixed(py(at) + 4)}" text-anchor="end">${text}</text>`,
  );
  return [...along, ...up];
}

function xTicks(x: string, [from, to]: [number, number]): [number, string][] {
  const { ticks, step } = niceTicks(from, to, 6, x === 'relative' || x === 'time' ? TIME_STEPS : WHOLE_STEPS);
  if (x === 'time') return ticks.map((tick) => [tick, moment(tick, step < 60).slice(step < 86_400 ? 11 : 0, step < 86_400 ? undefined : 10)]);
  const texts = x === 'relative' ? timeTexts(ticks, step) : tickTexts(ticks, step);
  return ticks.map((tick, i) => [tick, texts[i] ?? '']);
}

function yTicks([low, high]: [number, number], logarithmic: boolean): [number, string][] {
  if (logarithmic && Math.log10(high / low) >= 1) {
    const powers = niceTicks(Math.log10(low), Math.log10(high), 6, WHOLE_STEPS).ticks;
    return powers.map((power) => [10 ** power, short(10 ** power)]);
  }
  const { ticks, step } = niceTicks(low, high, 5);
  const texts = tickTexts(ticks, step);
  return ticks.map((tick, i) => [tick, texts[i] ?? '']);
}

function healthy(band: Pick<HealthyBand, 'low' | 'high'>, py: Scale, palette: Colours): string {
  const edge = (value: number | null, open: number): number =>
    value === null ? open : Math.min(Math.max(py(value) || open, FRAME.top), BOTTOM);
  const [top, bottom] = [edge(band.high, FRAME.top), edge(band.low, BOTTOM)];
  return `<rect x="${FRAME.left}" y="${fixed(top)}" width="${RIGHT - FRAME.left}" height="${fixed(Math.max(0, bottom - top))}" fill="${palette.good}" opacity="0.1"/>`;
}

function drawn(model: Model, lines: Line[], px: Scale, py: Scale, palette: Colours): string[] {
  const [axis, ...columns] = model.data;
  const curve = (i: number): string => path(axis, columns[i] ?? [], px, py);
  return model.drawn.map(({ role, line }, i) => {
    const colour = seriesColour(palette, lines[line]?.colour ?? 0);
    if (role === 'low') return '';
    if (role === 'high') return `<path d="${between(axis, columns[i - 1] ?? [], columns[i] ?? [], px, py)}" fill="${colour}" opacity="0.25"/>`;
    if (role === 'area') {
      const below = i > 0 ? (columns[i - 1] ?? []) : axis.map(() => 0);
      return `<path d="${between(axis, below, columns[i] ?? [], px, py)}" fill="${colour}" opacity="0.6"/>`;
    }
    const faint = role === 'faint';
    return `<path d="${curve(i)}" fill="none" stroke="${colour}" stroke-width="${faint ? 0.8 : 1.6}" opacity="${faint ? 0.35 : 1}"/>`;
  });
}

function path(x: number[], column: Column, px: Scale, py: Scale): string {
  let drawing = false;
  let text = '';
  for (let i = 0; i < x.length; i += 1) {
    const value = column[i];
    if (value === undefined) continue;
    if (value === null) {
      drawing = false;
      continue;
    }
    text += `${drawing ? 'L' : 'M'}${fixed(px(x[i] as number))} ${fixed(py(value))}`;
    drawing = true;
  }
  return text;
}

/** The area between two curves, over the places where both are known. */
function between(x: number[], low: Column, high: Column, px: Scale, py: Scale): string {
  const known = x.flatMap((_, i) => (typeof low[i] === 'number' && typeof high[i] === 'number' ? [i] : []));
  const points = (column: Column, order: number[]): string[] =>
    order.map((i) => `${fixed(px(x[i] as number))} ${fixed(py(column[i] as number))}`);
  return known.length ? `M${[...points(high, known), ...points(low, known.toReversed())].join('L')}Z` : '';
}

function fixed(value: number): string {
  return value.toFixed(1);
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
