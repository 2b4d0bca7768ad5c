/** How all charts of a page are looked at; it is kept in the address. */
import { address } from '../ui/address.svelte.ts';

export interface View {
  x: string;
  smoothing: number;
  whole: boolean;
  zoom: { from: number; to: number } | null;
  full: string | null;
}

const ALL = '*';

export function readView(): View {
  const from = Number(address.get('from') ?? Number.NaN);
  const to = Number(address.get('to') ?? Number.NaN);
  return {
    x: address.get('x') ?? 'step',
    smoothing: Number(address.get('smooth') ?? 0) || 0,
    whole: address.get('whole') === '1',
    zoom: from < to ? { from, to } : null,
    full: address.get('full'),
  };
}

export function setZoom(zoom: { from: number; to: number } | null): void {
  address.set({ from: zoom && tidy(zoom.from, zoom), to: zoom && tidy(zoom.to, zoom) });
}

/** Moves the range by a share of its width, or widens it about its middle. */
export function shiftZoom(extent: [number, number], by: number, widen = 1): void {
  const now = readView().zoom ?? { from: extent[0], to: extent[1] };
  const half = ((now.to - now.from) / 2) * widen;
  const middle = (now.from + now.to) / 2 + by * (now.to - now.from);
  const next = { from: middle - half, to: middle + half };
  setZoom(next.from <= extent[0] && next.to >= extent[1] ? null : next);
}

export function isLog(key: string): boolean {
  const keys = address.all('log');
  return keys.includes(ALL) !== keys.includes(key);
}

export function toggleLog(key: string = ALL): void {
  const keys = address.all('log');
  address.set({ log: keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key] });
}

function tidy(value: number, { from, to }: { from: number; to: number }): string {
  const digits = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(to - from))));
  return String(Number(value.toFixed(digits)));
}
