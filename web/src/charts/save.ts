/** A chart as a file: picture, drawing or table. */
import { csv } from '../data/csv.ts';
import type { Cells } from '../data/heat.ts';
import { colours, seriesColour } from './colours.ts';
import { svg, type Picture } from './svg.ts';

export type Format = 'png' | 'svg' | 'csv';

export interface Shown extends Picture {
  canvas: HTMLCanvasElement | null;
}

export async function save(format: Format, shown: Shown): Promise<void> {
  const name = nameOf(shown.title, format);
  if (format === 'csv') download(name, new Blob([table(shown)], { type: 'text/csv' }));
  else if (format === 'svg') download(name, new Blob([svg(shown, colours())], { type: 'image/svg+xml' }));
  else {
    const picture = await png(shown);
    if (picture) download(name, picture);
  }
}

export async function saveCells(format: Format, title: string, cells: Cells, canvas: HTMLCanvasElement | null): Promise<void> {
  const name = nameOf(title, format);
  const picture = format === 'csv' ? new Blob([cellTable(cells)], { type: 'text/csv' }) : await png({ canvas, title, lines: [] });
  if (picture) download(name, picture);
}

export function saveText(title: string, format: 'csv' | 'json', text: string): void {
  download(nameOf(title, format), new Blob([text], { type: format === 'csv' ? 'text/csv' : 'application/json' }));
}

function nameOf(title: string, format: string): string {
  return `${title.replace(/[^\p{L}\p{N}.-]+/gu, '_').slice(0, 80) || 'chart'}.${format}`;
}

/** One row a cell: the share of a step's values between two edges, or of one action. */
function cellTable({ x, edges, rows, shares }: Cells): string {
  return csv(
    edges ? ['step', 'from', 'to', 'share'] : ['step', 'row', 'share'],
    (function* cellRows() {
      for (const [i, column] of shares.entries()) {
        for (const [j, share] of column.entries()) {
          yield [x[i], ...(edges ? [edges[j], edges[j + 1]] : [rows[j]]), tidy(share)];
        }
      }
    })(),
  );
}

/** One row a point, as finely as it is shown: each point, or each bucket with its mean and its ends. */
function table({ lines, x, xRange: [from, to] }: Shown): string {
  const raw = lines.every(({ points }) => points.raw);
  return csv(
    ['series', x, 'value', ...(raw ? [] : ['low', 'high'])],
    (function* rows() {
      const names = new Set(lines.map(({ points }) => points.name));
      for (const { points, label } of lines) {
        const series = names.size === lines.length ? points.name : label;
        for (let i = 0; i < points.x.length; i += 1) {
          const at = points.x[i] as number;
          if (at < from || at > to) continue;
          const ends = raw ? [] : [points.low[i], points.high[i]].map(tidy);
          yield [series, Number(at.toPrecision(15)), tidy(points.mean[i]), ...ends];
        }
      }
    })(),
  );
}

/** Without the digits that single precision made up. */
function tidy(value: number | undefined): number | null {
  return value === undefined ? null : Number(value.toPrecision(7));
}

function png({ canvas, title, lines }: Pick<Shown, 'canvas' | 'title' | 'lines'>): Promise<Blob | null> {
  if (!canvas) return Promise.resolve(null);
  const palette = colours();
  const unit = devicePixelRatio;
  const picture = document.createElement('canvas');
  const head = 44 * unit;
  picture.width = canvas.width;
  picture.height = canvas.height + head;
  const ctx = picture.getContext('2d') as CanvasRenderingContext2D;
  ctx.fillStyle = palette.sheet;
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.fillStyle = palette.ink;
  ctx.font = `600 ${13 * unit}px system-ui, sans-serif`;
  ctx.fillText(title, 12 * unit, 18 * unit);
  ctx.font = `${11 * unit}px system-ui, sans-serif`;
  let at = 12 * unit;
  for (const line of lines.slice(0, 8)) {
    if (at + ctx.measureText(line.label).width > picture.width - 20 * unit) break;
    ctx.fillStyle = seriesColour(palette, line.colour);
    ctx.fillRect(at, 28 * unit, 10 * unit, 3 * unit);
    ctx.fillStyle = palette.quiet;
    ctx.fillText(line.label, at + 14 * unit, 33 * unit);
    at += 30 * unit + ctx.measureText(line.label).width;
  }
  ctx.drawImage(canvas, 0, head);
  return new Promise((resolve) => picture.toBlob(resolve, 'image/png'));
}

function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
