/**
 * How all charts of a page are looked at. The address says it, so that a link shows the same; a page whose address
 * says nothing of it is shown as the runs of its project were last looked at in this browser.
 */
import { isAll, scaled, shifted, type Range } from '../data/zoom.ts';
import { smoothingOf, type Smoothing } from '../data/smooth.ts';
import { address } from '../ui/address.svelte.ts';
import { kept } from '../ui/kept.svelte.ts';

export interface Zoom {
  from: number;
  to: number;
}

export type Size = 's' | 'm' | 'l';

export interface View {
  x: string;
  /** Whether the x axis is logarithmic. */
  logX: boolean;
  smoothing: Smoothing;
  whole: boolean;
  zoom: Zoom | null;
  full: string | null;
  size: Size;
  /** Keys of charts that are shown first. */
  pins: string[];
  /** Sections that are open, or closed with a minus before them. */
  open: string[];
  /** What is shown behind the run: other runs by their ids, or `siblings`. */
  behind: string[];
}

type Values = Record<string, string[]>;

const ALL = '*';
const NONE = 'none'; // behind the run, if somebody wants it alone
const KEYS = ['x', 'logx', 'smooth', 'whole', 'log', 'size', 'pin', 'open', 'behind', 'y'] as const;
type Key = (typeof KEYS)[number];

/** What the address says of the view, else what was last chosen for the project. */
function chosen(): Values {
  const told = KEYS.filter((key) => address.get(key) !== null);
  return told.length ? Object.fromEntries(told.map((key) => [key, address.all(key)])) : kept.view;
}

/** Changes how charts are looked at, here and when runs of this project are looked at again. */
export function setView(changes: Partial<Record<Key, string | string[] | null>>): void {
  const now: Record<string, string | string[] | null> = { ...chosen(), ...changes };
  address.set(Object.fromEntries(KEYS.map((key) => [key, now[key] ?? null])));
  kept.keep(Object.fromEntries(KEYS.flatMap((key) => (now[key]?.length ? [[key, [now[key]].flat()]] : []))) as Values);
}

/** The part of the address that a saved view keeps. */
export function viewText(): string {
  return new URLSearchParams(Object.entries(chosen()).flatMap(([key, values]) => values.map((value) => [key, value]))).toString();
}

export function applyView(text: string): void {
  const told = new URLSearchParams(text);
  setView(Object.fromEntries(KEYS.map((key) => [key, told.getAll(key)])));
}

export function readView(): View {
  const all = chosen();
  const first = (key: Key): string | null => all[key]?.[0] ?? null;
  const from = Number(address.get('from') ?? Number.NaN);
  const to = Number(address.get('to') ?? Number.NaN);
  return {
    x: first('x') ?? 'step',
    logX: first('logx') === '1',
    smoothing: smoothingOf(first('smooth')),
    whole: first('whole') === '1',
    zoom: from < to ? { from, to } : null,
    full: address.get('full'),
    size: (['s', 'l'] as const).find((one) => one === first('size')) ?? 'm',
    pins: all['pin'] ?? [],
    open: all['open'] ?? [],
    behind: (all['behind'] ?? ['siblings']).filter((one) => one !== NONE),
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

/** What a key does to all charts of a page; false if it means nothing to them. */
export function chartKey(key: string, extent: Range | null): boolean {
  if (key === 'l') toggleLog();
  else if (key === '0') setZoom(null);
  else if (extent === null) return false;
  else if (key === 'ArrowLeft') shiftZoom(extent, -0.25);
  else if (key === 'ArrowRight') shiftZoom(extent, 0.25);
  else if (key === '+' || key === '=') shiftZoom(extent, 0, 0.5);
  else if (key === '-') shiftZoom(extent, 0, 2);
  else return false;
  return true;
}

export function isLog(key: string): boolean {
  const keys = chosen()['log'] ?? [];
  return keys.includes(ALL) !== keys.includes(key);
}

export function toggleLog(key: string = ALL): void {
  setView({ log: toggled(chosen()['log'] ?? [], key) });
}

export function toggleBehind(id: string): void {
  const next = toggled(readView().behind, id);
  setView({ behind: next.length ? next : [NONE] });
}

export function togglePin(key: string): void {
  setView({ pin: toggled(readView().pins, key) });
}

/** The y range that was chosen for a chart: `key:from..to` in the address. */
export function yRangeOf(key: string): [number, number] | null {
  const told = (chosen()['y'] ?? []).find((one) => one.startsWith(`${key}:`));
  const [from, to] = (told?.slice(key.length + 1).split('..') ?? []).map(Number);
  return from !== undefined && to !== undefined && from < to ? [from, to] : null;
}

export function setYRange(key: string, range: [number, number] | null): void {
  const others = (chosen()['y'] ?? []).filter((one) => !one.startsWith(`${key}:`));
  setView({ y: range ? [...others, `${key}:${range[0]}..${range[1]}`] : others });
}

export function toggled(keys: string[], key: string): string[] {
  return keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key];
}

function tidy(value: number, { from, to }: Zoom): string {
  const digits = Math.max(0, Math.min(12, 3 - Math.floor(Math.log10(to - from))));
  return String(Number(value.toFixed(digits)));
}
