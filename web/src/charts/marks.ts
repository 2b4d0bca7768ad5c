/** What a chart draws besides its lines: the healthy band, spans of findings, and marks at its edges. */
import type uPlot from 'uplot';
import type { HealthyBand, Severity } from '../api/types.ts';
import type { Colours } from './colours.ts';
import type { Model } from './model.ts';

export interface Span {
  first: number;
  last: number;
  severity: Severity;
  /** Whether the finding rests on this chart; else it only shows here as well. */
  own: boolean;
  chosen: boolean;
}

export interface Marks {
  band: Pick<HealthyBand, 'low' | 'high'> | null;
  spans: Span[];
  nonfinite: number[];
  /** Where the run was resumed. */
  restarts?: number[];
}

const RANK: Severity[] = ['notice', 'warning', 'critical'];

export function drawBehind(u: uPlot, marks: Marks, palette: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  if (marks.band) drawBand(u, marks.band, palette);
  for (const at of marks.restarts ?? []) drawRestart(u, at, palette);
  drawShades(u, marks.spans, palette);
  const worstLast = marks.spans.toSorted((a, b) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity));
  for (const span of worstLast) drawStrip(u, span, palette);
  ctx.restore();
}

function drawBand(u: uPlot, band: Pick<HealthyBand, 'low' | 'high'>, palette: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const y = (value: number | null, open: number): number =>
    value === null ? open : clamp(u.valToPos(value, 'y', true), top - 2, top + height + 2);
  const high = y(band.high, top - 2);
  const low = y(band.low, top + height + 2);
  ctx.fillStyle = palette.band;
  ctx.fillRect(left, high, width, low - high);
  ctx.strokeStyle = palette.bandEdge;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  for (const edge of [high, low]) {
    ctx.moveTo(left, edge);
    ctx.lineTo(left + width, edge);
  }
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawRestart(u: uPlot, at: number, palette: Colours): void {
  const { ctx } = u;
  const { top, height } = u.bbox;
  const x = Math.round(u.valToPos(at, 'x', true)) + 0.5;
  ctx.strokeStyle = palette.quiet;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** Shades each place once, in the colour of the worst finding there, so that many do not add up. */
function drawShades(u: uPlot, spans: Span[], palette: Colours): void {
  const { ctx } = u;
  const { top, height } = u.bbox;
  const shaded = spans.filter((span) => span.chosen || (span.own && span.severity !== 'notice'));
  const edges = [...new Set(shaded.flatMap((span) => pixels(u, span)))].sort((a, b) => a - b);
  for (let i = 0; i + 1 < edges.length; i += 1) {
    const [from, to] = [edges[i] as number, edges[i + 1] as number];
    const here = shaded.filter((span) => pixels(u, span)[0] <= from && pixels(u, span)[1] >= to);
    const worst = RANK.findLast((severity) => here.some((span) => span.severity === severity));
    if (!worst) continue;
    ctx.fillStyle = palette.span[worst];
    ctx.fillRect(from, top, to - from, height);
  }
}

function drawStrip(u: uPlot, span: Span, palette: Colours): void {
  const { ctx } = u;
  const { left, width, top, height } = u.bbox;
  const [from, to] = pixels(u, span);
  const everywhere = from <= left + 2 && to >= left + width - 2;
  if (span.severity === 'notice' && everywhere && !span.chosen) return; // says nothing about where
  ctx.fillStyle = palette.severity[span.severity];
  ctx.globalAlpha = span.own ? 0.8 : 0.4;
  ctx.fillRect(from, top, to - from, 3 * devicePixelRatio);
  ctx.globalAlpha = 1;
  if (!span.chosen) return;
  for (const edge of [from, to]) ctx.fillRect(edge - devicePixelRatio, top, 2 * devicePixelRatio, height);
}

/** From where to where a span goes, at least wide enough to be seen. */
function pixels(u: uPlot, span: Span): [number, number] {
  const from = Math.round(u.valToPos(span.first, 'x', true));
  return [from, Math.max(Math.round(u.valToPos(span.last, 'x', true)), from + 2 * devicePixelRatio)];
}

/** Crosses where values are not numbers, and triangles where a curve leaves the chart. */
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
  ctx.restore();
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
