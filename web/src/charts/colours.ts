/** Colours of the present theme, read from the style sheet so that they are defined in one place. */

import type { Severity } from '../api/types.ts';

export const SERIES_COLOURS = 8;

export interface Colours {
  ink: string;
  quiet: string;
  rule: string;
  grid: string;
  sheet: string;
  accent: string;
  good: string;
  bad: string;
  bandEdge: string;
  kin: string;
  kinLine: string;
  span: Record<Severity, string>;
  severity: Record<Severity, string>;
  series: string[];
}

export function colours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: get('ink'),
    quiet: get('quiet'),
    rule: get('rule'),
    grid: get('grid'),
    sheet: get('sheet'),
    accent: get('accent'),
    good: get('good'),
    bad: get('bad'),
    bandEdge: get('band-edge'),
    kin: get('kin'),
    kinLine: get('kin-line'),
    span: { critical: get('span-critical'), warning: get('span-warning'), notice: get('span-notice') },
    severity: { critical: get('bad'), warning: get('watch'), notice: get('note') },
    series: Array.from({ length: SERIES_COLOURS }, (_, i) => get(`c${i}`)),
  };
}

export function seriesColour(palette: Colours, index: number): string {
  return index < 0 ? palette.kinLine : (palette.series[index % SERIES_COLOURS] as string);
}

/** `#rrggbb` with some transparency. */
export function faint(colour: string, alpha: number): string {
  return `${colour}${Math.round(alpha * 255).toString(16).padStart(2, '0')}`;
}
