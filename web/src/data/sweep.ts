/** Sweeps: where settings lie on an axis, which runs are kept, and how a kept range is said in a search. */
import type { SweepAnswer, SweepRegion, SweepSetting } from '../api/types.ts';
import { number, scalar } from './format.ts';
import { clearlyBest, meanOf, type Mean } from './interval.ts';
import { quoted, type Scalar } from './query.ts';
import { niceTicks, tickTexts } from './ticks.ts';

const FEW = 8; // values of a setting that are each written beside its axis
const PARTS = 6; // of a range of many values, of which the means are shown
const TICKS = 5;
const MOST_WORDS = 12; // values that are written beside an axis of words
const LONGEST_WORD = 14;
const LONGEST_NUMBER = 8; // letters; of a longer one some digits are written
const DIGITS = 3;
const FAR = 6; // times the middle half of the outcomes, beyond which one is drawn at the edge
const EDGE = 0.06; // of an axis, beyond its first and its last value

export interface Axis {
  key: string;
  /** From 0 to 1, bottom to top; null where there is no such value. */
  at: (value: Scalar) => number | null;
  /** The number at a place: a value, or the number of a word. */
  valueAt: (place: number) => number;
  ticks: { place: number; text: string }[];
  discrete: boolean;
}

/** A range of a setting, both ends included; of words it is of their numbers. */
export interface Keep {
  key: string;
  low: number | null;
  high: number | null;
}

export function numberOf(setting: SweepSetting, value: Scalar): number | null {
  if (value === null && setting.numeric) return null;
  const place = setting.numeric ? Number(value) : setting.choices.indexOf(value);
  return Number.isFinite(place) && (setting.numeric || place >= 0) ? place : null;
}

export function axisOf(setting: SweepSetting): Axis {
  const numbers = setting.choices.flatMap((choice) => numberOf(setting, choice) ?? []);
  const discrete = !setting.numeric || setting.choices.length <= FEW;
  const each = setting.numeric ? 1 : Math.ceil(setting.choices.length / MOST_WORDS);
  const scale = scaleOf(Math.min(...numbers), Math.max(...numbers), setting.log);
  return {
    key: setting.key,
    discrete,
    at: (value) => {
      const found = numberOf(setting, value);
      return found === null ? null : scale.at(found);
    },
    valueAt: scale.value,
    ticks: discrete
      ? setting.choices.flatMap((choice, i) => {
          const found = numberOf(setting, choice);
          const whole = scalar(choice);
          const text = typeof choice === 'number' && whole.length > LONGEST_NUMBER ? number(choice, DIGITS) : whole;
          return found === null || i % each ? [] : [{ place: scale.at(found), text: text.length > LONGEST_WORD ? `${text.slice(0, LONGEST_WORD - 1)}…` : text }];
        })
      : scale.ticks,
  };
}

export function outcomeAxis(title: string, values: (number | null)[]): Axis {
  const [low, high] = usualRange(values.filter((value): value is number => value !== null && Number.isFinite(value)));
  const scale = scaleOf(low, high, false);
  const at = (value: Scalar): number | null => (typeof value === 'number' ? scale.at(Math.min(high, Math.max(low, value))) : null);
  return { key: title, discrete: false, valueAt: scale.value, ticks: scale.ticks, at };
}

/** The range of values without those far beyond the middle half: one run that diverged would flatten all others. */
export function usualRange(values: number[]): [number, number] {
  if (!values.length) return [0, 1];
  const sorted = values.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0] as number, sorted.at(-1) as number];
  const [q1, q3] = [0.25, 0.75].map((share) => sorted[Math.floor(share * (sorted.length - 1))] as number) as [number, number];
  const reach = FAR * (q3 - q1);
  return reach > 0 ? [Math.max(least, q1 - reach), Math.min(most, q3 + reach)] : [least, most];
}

function scaleOf(low: number, high: number, log: boolean): { at: (value: number) => number; value: (place: number) => number; ticks: Axis['ticks'] } {
  const turn = log ? Math.log10 : (value: number): number => value;
  const back = log ? (value: number): number => 10 ** value : (value: number): number => value;
  const [from, to] = [turn(low), turn(high)];
  const width = to - from || 1;
  const at = (value: number): number => EDGE + ((turn(value) - from) / width) * (1 - 2 * EDGE);
  const made = log
    ? Array.from({ length: Math.floor(to) - Math.ceil(from) + 1 }, (_, i) => 10 ** (Math.ceil(from) + i)).map((tick) => ({ tick, text: scalar(tick) }))
    : (({ ticks, step }) => tickTexts(ticks, step).map((text, i) => ({ tick: ticks[i] as number, text })))(niceTicks(low, high, TICKS));
  return {
    at,
    value: (place) => back(from + ((place - EDGE) / (1 - 2 * EDGE)) * width),
    ticks: made.filter(({ tick }) => tick >= low && tick <= high).map(({ tick, text }) => ({ place: at(tick), text })),
  };
}

export function readKeeps(texts: string[]): Keep[] {
  return texts.flatMap((text) => {
    const [, key, low, high] = /^(.*):([^:]*)\.\.([^:]*)$/.exec(text) ?? [];
    return key === undefined ? [] : [{ key, low: end(low), high: end(high) }];
  });
}

export function writeKeep({ key, low, high }: Keep): string {
  return `${key}:${low ?? ''}..${high ?? ''}`;
}

function end(text: string | undefined): number | null {
  return text === undefined || text === '' || Number.isNaN(Number(text)) ? null : Number(text);
}

/** Which runs lie within all ranges, by their places. */
export function keptRuns(found: SweepAnswer, keeps: Keep[]): boolean[] {
  return found.runs.map((_, i) =>
    keeps.every(({ key, low, high }) => {
      const setting = found.settings.find((one) => one.key === key);
      const value = setting ? numberOf(setting, setting.values[i] ?? null) : null;
      return !setting || (value !== null && (low === null || value >= low) && (high === null || value <= high));
    }),
  );
}

/** The bounds of a region as ranges. */
export function keepsOf(found: SweepAnswer, region: SweepRegion): Keep[] {
  return region.bounds.map(({ key, low, high, words }) => {
    const setting = found.settings.find((one) => one.key === key);
    if (!words.length || !setting) return { key, low: low ?? null, high: high ?? null };
    const places = words.map((word) => setting.choices.indexOf(word));
    return { key, low: Math.min(...places), high: Math.max(...places) };
  });
}

/** What finds the same runs in the list. */
export function searchFor(found: SweepAnswer, keeps: Keep[]): string {
  const words = keeps.flatMap(({ key, low, high }) => {
    const setting = found.settings.find((one) => one.key === key);
    if (setting && !setting.numeric) {
      const chosen = setting.choices.slice(low ?? 0, (high ?? setting.choices.length - 1) + 1);
      return [`${key}=${chosen.map(scalar).join('|')}`];
    }
    return [...(low === null ? [] : [`${key}>=${low}`]), ...(high === null ? [] : [`${key}<=${high}`])];
  });
  return [...(found.project ? [`project=${found.project}`] : []), ...words].map(quoted).join(' ');
}

/** The mean outcome of each value of a setting, or of each sixth of its range. */
export function meansAlong(found: SweepAnswer, setting: SweepSetting, axis: Axis, kept: boolean[]): { from: number; to: number; mean: Mean }[] {
  const groups = new Map<number, (number | null)[]>();
  found.runs.forEach((run, i) => {
    const place = axis.at(setting.values[i] ?? null);
    if (place === null || !kept[i]) return;
    const part = axis.discrete ? place : Math.min(PARTS - 1, Math.max(0, Math.floor(((place - EDGE) / (1 - 2 * EDGE)) * PARTS)));
    groups.set(part, [...(groups.get(part) ?? []), run.outcome]);
  });
  const width = (1 - 2 * EDGE) / PARTS;
  return [...groups].flatMap(([part, values]) => {
    const mean = meanOf(values);
    if (!mean) return [];
    const half = axis.discrete ? Math.min(0.05, 0.4 / axis.ticks.length) : width / 2;
    const middle = axis.discrete ? part : EDGE + (part + 0.5) * width;
    return [{ from: middle - half, to: middle + half, mean }];
  });
}

/** Those ticks that can be written without touching one another; `at` says where in pixels. */
export function apart(ticks: Axis['ticks'], at: (place: number) => number, least: number): Axis['ticks'] {
  const sorted = ticks.toSorted((a, b) => a.place - b.place);
  return sorted.reduce<Axis['ticks']>((told, one) => (told.length && Math.abs(at(one.place) - at(told.at(-1)?.place ?? 0)) < least ? told : [...told, one]), []);
}

export interface Combination {
  values: Scalar[];
  runs: number[];
  mean: Mean | null;
  failed: number;
  clear: boolean;
}

/** Runs with the same values of some settings, the best mean first; those without an outcome come last. */
export function combinations(found: SweepAnswer, settings: SweepSetting[], kept: boolean[]): Combination[] {
  const inside = found.runs.map((_, i) => i).filter((i) => kept[i]);
  const groups = Map.groupBy(inside, (i) => JSON.stringify(settings.map((one) => one.values[i] ?? null)));
  const sign = found.direction === 'lower' ? 1 : -1;
  const all = [...groups].map(([key, runs]) => ({
    values: JSON.parse(key) as Scalar[],
    runs,
    mean: meanOf(runs.map((i) => found.runs[i]?.outcome)),
    failed: runs.filter((i) => found.runs[i]?.failed).length,
    clear: false,
  }));
  const best = clearlyBest(all.map((one) => one.mean), found.direction);
  if (best !== null) (all[best] as Combination).clear = true;
  return all.sort((a, b) => Number(a.mean === null) - Number(b.mean === null) || sign * ((a.mean?.mean ?? 0) - (b.mean?.mean ?? 0)));
}
