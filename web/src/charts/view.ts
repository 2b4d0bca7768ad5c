/** How all charts of a page are looked at; it is kept in the address. */
import { isAll, scaled, shifted, type Range } from '../data/zoom.ts';
import { address } from '../ui/address.svelte.ts';

export interface Zoom {
  from: number;
  to: number;
}

export interface View {
  x: string;
  smoothing: number;
  whole: boolean;
  zoom: Zoom | null;
  full: string | null;
}

const ALL = '*';
const MOST_SMOOTHING = 0.2;

export function readView(): View {
  const from = Number(address.get('from') ?? Number.NaN);
  const to = Number(address.get('to') ?? Number.NaN);
  const smoothing = Number(address.get('smooth') ?? 0);
  return {
    x: address.get('x') ?? 'step',
    smoothing: smoothing > 0 ? Math.min(smoothing, MOST_SMOOTHING) : 0,
    whole: address.get('whole') === '1',
    zoom: from < to ? { from, to } : null,
    full: address.get('full'),
  };
}

/** A range that was chosen at once is a step to go back from; one that a hand moved to is not. */
export function setZoom(zoom: Zoom | null, keep = false): void {
  address.set({ from: zoom && tidy(zoom.from, zoom), to: zoom && tidy(zoom.to, zoom) }, { keep });
}

/** Moves the range by a share of its width, or widens it about its middle. */
export function shiftZoom(all: Range, by: number, widen = 1): void {
  const { zoom } = readView();
  const now: Range = zoom ? [zoom.from, zoom.to] : all;
  const next = widen === 1 ? shifted(now, by, all) : scaled(now, widen, (now[0] + now[1]) / 2, all);
  setZoom(isAll(next, all) ? null : { from: next[0], to: next[1] });
}

export function isLog(key: string): boolean {
  const keys = address.all('log');
  return keys.includes(ALL) !== keys.includes(key);
}

export function toggleLog(key: string = ALL): void {
  const keys = address.all('log');
  address.set({ log: keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key] });
}

function tidy(value: number, { from, to }: Zoom): string {
  const digits = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(to - from))));
  return String(Number(value.toFixed(digits)));
}
