/** The cells of a heatmap, and the axis that names its rows. */
import type uPlot from 'uplot';
import { short } from '../data/format.ts';
import type { Cells } from '../data/heat.ts';
import { strongest } from '../data/heat.ts';
import { seriesColour, type Colours } from './colours.ts';

/** `x` is where each column lies on the present axis. */
export function drawCells(u: uPlot, cells: Cells, x: number[], palette: Colours): void {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  const rows = cells.shares[0]?.length ?? 1;
  const peak = strongest(cells) || 1;
  const places = x.map((at) => u.valToPos(at, 'x', true));
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  ctx.fillStyle = seriesColour(palette, 0);
  cells.shares.forEach((column, i) => {
    const here = places[i] as number;
    const before = places[i - 1] ?? here - ((places[i + 1] ?? here + width) - here);
    const after = places[i + 1] ?? here + (here - before);
    const [from, to] = [(before + here) / 2, (here + after) / 2];
    if (to < left || from > left + width) return;
    column.forEach((share, j) => {
      if (share <= 0) return;
      ctx.globalAlpha = Math.sqrt(share / peak);
      ctx.fillRect(from, top + height * (1 - (j + 1) / rows), to - from + 0.5, height / rows + 0.5);
    });
  });
  ctx.restore();
}

/** Places of rows, counted from below, and what is written there. */
export function rowTicks(cells: Cells): [number, string][] {
  if (cells.edges) {
    const edges = cells.edges;
    const last = edges.length - 1;
    const places = [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * last)))];
    return places.map((at) => [at, short(edges[at])]);
  }
  const every = Math.ceil(cells.rows.length / 10);
  return cells.rows.flatMap((name, j): [number, string][] => (j % every ? [] : [[j + 0.5, name]]));
}
