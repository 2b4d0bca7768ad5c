/** The columns of a comparison: one a run, or one a group of runs that belong together. */
import type { Comparison } from '../api/types.ts';
import { SERIES_COLOURS } from '../charts/colours.ts';
import { scalar } from './format.ts';
import { meanOf, type Mean } from './interval.ts';
import { middleCut, OWN, SEED, told, wordFor } from './names.ts';
import type { Scalar } from './query.ts';

export const COMPARED_AT_MOST = 1000;
export const MOST_LINES = 64; // that can be told apart; more are shown as bands
/** To group by it puts all runs together. */
export const ALL = '*';

export interface Column {
  key: string;
  label: string;
  short: string;
  colour: number;
  members: number[]; // places of its runs in the comparison
}

export function columnsOf(found: Comparison, together: boolean, colourOf: (key: string) => number): Column[] {
  const short = told(found.runs, found.config);
  if (!together) return found.runs.map((run, i) => ({ key: run.id, label: run.name, short: short[i] ?? '', colour: colourOf(run.id), members: [i] }));
  const places = new Map(found.runs.map((run, i) => [run.id, i]));
  return found.groups.map((group) => ({
    key: group.label,
    label: group.label,
    short: middleCut(group.label.replace(/(^|, )([^=]+)=/g, (_, start: string, key: string) => `${start}${wordFor(key)} `)),
    colour: colourOf(group.label),
    members: group.runs.flatMap((id) => places.get(id) ?? []),
  }));
}

/** Many runs that a setting colours are told by its values: a table has no room for each of them. */
export function columnsBy(key: string, values: Scalar[]): Column[] {
  return [...coloursBy(values)].map(([value, colour]) => {
    const label = `${wordFor(key)} ${scalar(value)}`;
    return { key: label, label, short: label, colour, members: values.flatMap((one, i) => (one === value ? [i] : [])) };
  });
}

export function levelOf(values: (number | null)[], members: number[]): Mean | null {
  return meanOf(members.map((i) => values[i]));
}

/** The different values of a setting in a column, in the order of its runs. */
export function settingsOf(values: Scalar[], members: number[]): Scalar[] {
  return [...new Set(members.map((i) => values[i] ?? null))];
}

/** In how many runs of a column something was found, and how early. */
export function firstOf(steps: (number | null)[], members: number[]): { count: number; first: number | null } {
  const known = members.flatMap((i) => steps[i] ?? []);
  return { count: known.length, first: known.length ? Math.min(...known) : null };
}

/** Metrics that at least two of the runs have; if there are none, all. */
export function shared<T extends { values: (number | null)[] }>(table: T[]): T[] {
  const common = table.filter((row) => row.values.filter((value) => value !== null).length > 1);
  return common.length ? common : table;
}

type Settings = Comparison['config'];

/** Settings that tell the runs apart, those that they are grouped by first, seeds last. */
export function telling(config: Settings, groupBy: string[]): Settings {
  const rank = (key: string): number => (groupBy.includes(key) ? 0 : SEED.test(key) ? 2 : 1);
  return config.filter(({ key }) => !OWN.test(key)).sort((a, b) => rank(a.key) - rank(b.key));
}

/** The different values of a setting in ascending order, each with its colour. */
export function coloursBy(values: Scalar[]): Map<Scalar, number> {
  const order = (a: Scalar, b: Scalar): number => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
  return new Map([...new Set(values)].sort(order).map((value, i) => [value, i]));
}

/** The setting that colours many lines best: few values, many runs each. */
export function colouring(config: Settings): string | null {
  return telling(config, []).find(({ key, values }) => !SEED.test(key) && new Set(values).size <= SERIES_COLOURS)?.key ?? null;
}
