/** A chart as a file: picture, drawing or table. */
import { csv } from '../data/csv.ts';
import { colours, seriesColour } from './colours.ts';
import type { Line, Model } from './model.ts';
import { svg } from './svg.ts';

export type Format = 'png' | 'svg' | 'csv';

export interface Shown {
  title: string;
  x: string;
  lines: Line[];
  model: Model;
  xRange: [number, number];
  log: boolean;
  canvas: HTMLCanvasElement | null;
}

export async function save(format: Format, shown: Shown): Promise<void> {
  const name = `${shown.title.replace(/[^\w.-]+/g, '_').slice(0, 80)}.${format}`;
  if (format === 'csv') download(name, new Blob([table(shown)], { type: 'text/csv' }));
  else if (format === 'svg') download(name, new Blob([svg(shown, colours())], { type: 'image/svg+xml' }));
  else {
    const picture = await png(shown);
    if (picture) download(name, picture);
  }
}

function table({ lines, x }: Shown): string {
  return csv(
    ['series', x, 'mean', 'low', 'high', 'points are'],
    (function* rows() {
      for (const { label, points } of lines) {
        for (let i = 0; i < points.x.length; i += 1) {
          yield [label, points.x[i], points.mean[i], points.low[i], points.high[i], points.raw ? 'raw' : 'buckets'];
        }
      }
    })(),
  );
}

function png({ canvas, title, lines }: Shown): Promise<Blob | null> {
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
