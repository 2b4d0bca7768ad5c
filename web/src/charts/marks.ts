/**
 * What a chart draws besides its lines. Each kind of mark has its own place, so that no two fills mix: relatives are
 * the only fill, the healthy range is a rail at the axis, findings are bars on the top edge.
 */
import type uPlot from 'uplot';
import type { HealthyBand, Severity } from '../api/types.ts';
import { joinedCodes, type Joined } from '../data/codes.ts';
import type { Colours } from './colours.ts';
import type { Model } from './model.ts';

export interface Span {
  first: number;
  last: number;
  severity: Severity;
  code: string;
  /** What the finding says, for who points at it. */
  message: string;
  /** Its place in the run's list. */
  index: number;
  /** Whether the finding rests on this chart; else it only shows here as well. */
  own: boolean;
  chosen: boolean;
}

/** A place on a curve that is worth a name. */
export interface Spot {
  x: number;
  y: number;
  text: string;
  tone: 'ink' | 'bad';
}

/** The range of other runs behind this one. */
export interface Kin {
  x: ArrayLike<number>;
  low: ArrayLike<number>;
  high: ArrayLike<number>;
}

export interface Marks {
  band: Pick<HealthyBand, 'low' | 'high'> | null;
  spans: Span[];
  nonfinite: number[];
  /** Where the run was resumed. */
  restarts?: number[];
  /** Where what went wrong began. */
  cause?: number | null;
  causeText?: string;
  spots?: Spot[];
  kin?: Kin | null;
}

const RANK: Severity[] = ['notice', 'warning', 'critical'];
const RAIL = 3; // pixels
/** Room above the drawing for the codes of findings. */
export const CODES = 15;

export function drawBehind(u: uPlot, marks: Marks, palette: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left - RAIL * devicePixelRatio, top - RAIL * devicePixelRatio, width + RAIL * devicePixelRatio, height + RAIL * devicePixelRatio);
  ctx.clip();
  if (marks.kin) drawKin(u, marks.kin, palette);
  for (const span of marks.spans) if (span.chosen) drawShade(u, span, palette);
  if (marks.band) drawBand(u, marks.band, palette);
  for (const at of marks.restarts ?? []) drawUpright(u, at, palette.quiet, [2, 3], 1);
  if (typeof marks.cause === 'number') drawUpright(u, marks.cause, palette.bad, [2, 2], 1.4);
  const worstLast = marks.spans.filter((span) => tells(u, span)).sort((a, b) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity));
  for (const span of worstLast) drawBar(u, span, palette);
  ctx.restore();
}

function drawKin(u: uPlot, { x, low, high }: Kin, palette: Colours): void {
  const { ctx } = u;
  const at = (i: number, of: ArrayLike<number>): [number, number] => [u.valToPos(x[i] as number, 'x', true), u.valToPos(of[i] as number, 'y', true)];
  const known = Array.from({ length: x.length }, (_, i) => i).filter((i) => Number.isFinite(low[i]) && Number.isFinite(high[i]));
  if (!known.length) return;
  ctx.fillStyle = palette.kin;
  ctx.beginPath();
  for (const i of known) ctx.lineTo(...at(i, high));
  for (const i of known.toReversed()) ctx.lineTo(...at(i, low));
  ctx.fill();
}

/** A rail beside the y axis, and a dashed line at each end of the range. */
function drawBand(u: uPlot, band: Pick<HealthyBand, 'low' | 'high'>, palette: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const y = (value: number | null, open: number): number =>
    value === null ? open : clamp(u.valToPos(value, 'y', true), top - 2, top + height + 2);
  const high = y(band.high, top);
  const low = y(band.low, top + height);
  ctx.fillStyle = palette.good;
  ctx.fillRect(left - RAIL * devicePixelRatio, high, RAIL * devicePixelRatio, Math.max(0, low - high));
  ctx.strokeStyle = palette.bandEdge;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  for (const [edge, told] of [[high, band.high], [low, band.low]] as const) {
    if (told === null || edge < top || edge > top + height) continue;
    ctx.moveTo(left, edge);
    ctx.lineTo(left + width, edge);
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawUpright(u: uPlot, at: number, colour: string, dash: [number, number], wide: number): void {
  const { ctx } = u;
  const { top, height } = u.bbox;
  const x = Math.round(u.valToPos(at, 'x', true)) + 0.5;
  ctx.strokeStyle = colour;
  ctx.lineWidth = wide * devicePixelRatio;
  ctx.setLineDash(dash.map((one) => one * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawShade(u: uPlot, span: Span, palette: Colours): void {
  const [from, to] = pixels(u, span);
  u.ctx.fillStyle = palette.span[span.severity];
  u.ctx.fillRect(from, u.bbox.top, to - from, u.bbox.height);
}

function drawBar(u: uPlot, span: Span, palette: Colours): void {
  const { ctx } = u;
  const [from, to] = pixels(u, span);
  ctx.fillStyle = palette.severity[span.severity];
  ctx.globalAlpha = span.own ? 1 : 0.45;
  ctx.fillRect(from, u.bbox.top - RAIL * devicePixelRatio, to - from, RAIL * devicePixelRatio);
  ctx.globalAlpha = 1;
}

/** From where to where a span goes within the drawing, at least wide enough to be seen. */
function pixels(u: uPlot, span: Pick<Span, 'first' | 'last'>): [number, number] {
  const from = Math.round(u.valToPos(span.first, 'x', true));
  return [from, Math.max(Math.round(u.valToPos(span.last, 'x', true)), from + 3 * devicePixelRatio)];
}

/** A notice about all of the run says nothing about where. */
function tells(u: uPlot, span: Span): boolean {
  const { left, width } = u.bbox;
  const [from, to] = pixels(u, span);
  return span.severity !== 'notice' || span.chosen || from > left + 0.02 * width || to < left + 0.98 * width;
}

/** Codes of findings that are written together, from `left` on, in pixels of the page. */
export type Label = Joined<Span>;

/** Findings that begin near each other share a label; none runs over its neighbour or out of the chart. */
export function labels(u: uPlot, spans: Span[]): Label[] {
  const scale = devicePixelRatio;
  const [edge, end] = [u.bbox.left / scale, (u.bbox.left + u.bbox.width) / scale];
  const seen = spans
    .filter((one) => one.own && tells(u, one))
    .map((span) => ({ span, ends: pixels(u, span).map((one) => one / scale) as [number, number] }))
    .filter(({ ends: [from, to] }) => to >= edge && from <= end);
  return joinedCodes(seen.map(({ span, ends }) => ({ at: Math.max(edge, ends[0]), item: span })), end);
}

/** Crosses where values are not numbers, triangles where a curve leaves the chart, and named spots. */
export function drawInFront(u: uPlot, marks: Marks, model: Model, palette: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const size = 4 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = palette.bad;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  let last = -Infinity;
  for (const at of marks.nonfinite.toSorted((a, b) => a - b)) {
    const x = u.valToPos(at, 'x', true);
    if (x < left || x > left + width || x - last < size) continue;
    last = x;
    const y = top + height - size * 1.6;
    ctx.moveTo(x - size, y - size);
    ctx.lineTo(x + size, y + size);
    ctx.moveTo(x + size, y - size);
    ctx.lineTo(x - size, y + size);
  }
  ctx.stroke();
  drawCut(u, model, palette, size);
  const taken: Box[] = [];
  for (const spot of marks.spots ?? []) drawSpot(u, spot, palette, taken);
  if (typeof marks.cause === 'number' && marks.causeText) drawCause(u, marks.cause, marks.causeText, palette, taken);
  ctx.restore();
}

/** A ring on the curve, and beside it what it is. */
function drawSpot(u: uPlot, spot: Spot, palette: Colours, taken: Box[]): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const unit = devicePixelRatio;
  const [x, y] = [u.valToPos(spot.x, 'x', true), clamp(u.valToPos(spot.y, 'y', true), top, top + height)];
  if (x < left - unit || x > left + width + unit) return;
  const colour = spot.tone === 'bad' ? palette.bad : palette.ink;
  ctx.strokeStyle = colour;
  ctx.fillStyle = palette.sheet;
  ctx.lineWidth = 2 * unit;
  ctx.beginPath();
  ctx.arc(x, y, 4 * unit, 0, 2 * Math.PI);
  ctx.fill();
  ctx.stroke();
  writeNear(u, spot.text, [x - 8 * unit, x + 8 * unit], [y - 7 * unit, y + 15 * unit, y + 4 * unit], colour, palette, taken);
}

/** What began at the dotted line, beside its upper or its lower end. */
function drawCause(u: uPlot, at: number, text: string, palette: Colours, taken: Box[]): void {
  const { left, top, width, height } = u.bbox;
  const [x, unit] = [u.valToPos(at, 'x', true), devicePixelRatio];
  if (x < left || x > left + width) return;
  writeNear(u, text, [x - 6 * unit, x + 6 * unit], [top + height - 6 * unit, top + 12 * unit, top + height / 2], palette.bad, palette, taken);
}

/** Where a label lies: its left, its right, its top and its bottom. */
type Box = [number, number, number, number];

/** Writes a text that ends at the first place or begins at the second, at one of some heights: where least lies below it. */
function writeNear(u: uPlot, text: string, [ends, begins]: [number, number], heights: number[], colour: string, palette: Colours, taken: Box[]): void {
  const { left, top, width, height } = u.bbox;
  const unit = devicePixelRatio;
  u.ctx.font = `600 ${11 * unit}px 'Inter Variable', system-ui, sans-serif`;
  const wide = u.ctx.measureText(text).width;
  const boxes = heights.flatMap((y): Box[] => [ends - wide, begins].map((x): Box => [x, x + wide, y - 10 * unit, y + 2 * unit]));
  const cost = (box: Box): number =>
    (box[0] < left || box[1] > left + width ? 100 : 0) + (box[2] < top - unit || box[3] > top + height + unit ? 50 : 0) + taken.filter((one) => overlap(one, box)).length * 30 + crossed(u, box);
  const best = boxes.reduce((a, b) => (cost(b) < cost(a) ? b : a));
  taken.push(best);
  write(u, text, best[0], best[3] - 2 * unit, colour, palette);
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[1] && b[0] < a[1] && a[2] < b[3] && b[2] < a[3];
}

const PROBES = 10;

/** At how many places the first curve runs through a box. */
function crossed(u: uPlot, [from, to, high, low]: Box): number {
  const [xs, column = []] = u.data;
  let count = 0;
  for (let i = 0; i <= PROBES; i += 1) {
    const at = u.posToVal(from + ((to - from) * i) / PROBES, 'x', true);
    const next = xs.findIndex((x) => x >= at);
    const [a, b] = [column[Math.max(0, next - 1)], column[next]];
    if (next < 0 || typeof a !== 'number' || typeof b !== 'number') continue;
    const [x0, x1] = [xs[Math.max(0, next - 1)] as number, xs[next] as number];
    const y = u.valToPos(x1 > x0 ? a + ((b - a) * (at - x0)) / (x1 - x0) : b, 'y', true);
    count += Number(y > high && y < low);
  }
  return count;
}

/** Text with an edge in the colour of the sheet, so that lines do not run through it. */
function write({ ctx }: uPlot, text: string, x: number, y: number, colour: string, palette: Colours): void {
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.strokeStyle = palette.sheet;
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.lineJoin = 'round';
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

function drawCut(u: uPlot, model: Model, palette: Colours, size: number): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const { min, max } = u.scales['y'] as { min?: number; max?: number };
  if (min === undefined || max === undefined) return;
  ctx.fillStyle = palette.quiet;
  let lastUp = -Infinity;
  let lastDown = -Infinity;
  const [xs, ...columns] = model.data;
  for (let i = 0; i < xs.length; i += 1) {
    const x = u.valToPos(xs[i] as number, 'x', true);
    if (x < left || x > left + width) continue;
    for (const [c, column] of columns.entries()) {
      const value = column[i];
      if (typeof value !== 'number' || model.drawn[c]?.role === 'faint') continue;
      if (value > max && x - lastUp > size) {
        triangle(ctx, x, top, size);
        lastUp = x;
      } else if (value < min && x - lastDown > size) {
        triangle(ctx, x, top + height, -size);
        lastDown = x;
      }
    }
  }
}

function triangle(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  ctx.beginPath();
  ctx.moveTo(x, y + size * 0.2);
  ctx.lineTo(x - Math.abs(size) * 0.8, y + size * 1.5);
  ctx.lineTo(x + Math.abs(size) * 0.8, y + size * 1.5);
  ctx.fill();
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
