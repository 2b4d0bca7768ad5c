/** A chart as a drawing that papers and slides can scale. */
import type { Column } from '../data/align.ts';
import { short } from '../data/format.ts';
import { seriesColour, type Colours } from './colours.ts';
import type { Line, Model } from './model.ts';

interface Picture {
  title: string;
  x: string;
  lines: Line[];
  model: Model;
  xRange: [number, number];
  log: boolean;
}

const WIDTH = 720;
const HEIGHT = 380;
const FRAME = { left: 64, right: 16, top: 52, bottom: 40 };

export function svg(picture: Picture, palette: Colours): string {
  const { title, x, lines, model, xRange, log } = picture;
  const [low, high] = model.range ?? [0, 1];
  const logarithmic = log && model.positive;
  const scale = logarithmic ? Math.log10 : (value: number): number => value;
  const px = (value: number): number =>
    FRAME.left + ((value - xRange[0]) / (xRange[1] - xRange[0] || 1)) * (WIDTH - FRAME.left - FRAME.right);
  const py = (value: number): number =>
    HEIGHT - FRAME.bottom - ((scale(value) - scale(low)) / (scale(high) - scale(low) || 1)) * (HEIGHT - FRAME.top - FRAME.bottom);
  const parts: string[] = [];
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const value = low + share * (high - low);
    const tick = logarithmic ? low * (high / low) ** share : value;
    const at = xRange[0] + share * (xRange[1] - xRange[0]);
    parts.push(
      `<line x1="${FRAME.left}" x2="${WIDTH - FRAME.right}" y1="${py(tick)}" y2="${py(tick)}" stroke="${palette.rule}"/>`,
      `<text x="${FRAME.left - 6}" y="${py(tick) + 4}" text-anchor="end">${short(tick)}</text>`,
      `<text x="${px(at)}" y="${HEIGHT - FRAME.bottom + 18}" text-anchor="middle">${short(at)}</text>`,
    );
  }
  const [axis, ...columns] = model.data;
  model.drawn.forEach(({ role, line }, i) => {
    const colour = seriesColour(palette, lines[line]?.colour ?? 0);
    const width = role === 'main' || role === 'area' ? 1.6 : 0.8;
    const opacity = role === 'main' || role === 'area' ? 1 : 0.35;
    parts.push(
      `<path clip-path="url(#frame)" d="${path(axis, columns[i] ?? [], px, py)}" fill="none" stroke="${colour}" stroke-width="${width}" opacity="${opacity}"/>`,
    );
  });
  const legend = lines.map(
    (line, i) => `<tspan fill="${seriesColour(palette, line.colour)}"${i ? ' dx="14"' : ''}>${escape(line.label)}</tspan>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="11" fill="${palette.quiet}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="${palette.sheet}"/>
<clipPath id="frame"><rect x="${FRAME.left}" y="${FRAME.top}" width="${WIDTH - FRAME.left - FRAME.right}" height="${HEIGHT - FRAME.top - FRAME.bottom}"/></clipPath>
<text x="${FRAME.left}" y="22" font-size="14" font-weight="600" fill="${palette.ink}">${escape(title)}</text>
<text x="${FRAME.left}" y="40">${legend.join('')}</text>
${parts.join('\n')}
<text x="${WIDTH - FRAME.right}" y="${HEIGHT - 6}" text-anchor="end">${escape(x)}</text>
</svg>
`;
}

function path(x: number[], column: Column, px: (v: number) => number, py: (v: number) => number): string {
  let drawing = false;
  let text = '';
  for (let i = 0; i < x.length; i += 1) {
    const value = column[i];
    if (value === undefined) continue;
    if (value === null) {
      drawing = false;
      continue;
    }
    text += `${drawing ? 'L' : 'M'}${px(x[i] as number).toFixed(1)} ${py(value).toFixed(1)}`;
    drawing = true;
  }
  return text;
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
