/** The settings of a run as lines of one table, beside those of another run. */
import { flatten } from './flatten.ts';
import { scalar } from './format.ts';

export interface SettingRow {
  key: string;
  own: string | null;
  other: string | null;
}

export interface SettingGroup {
  title: string;
  rows: SettingRow[];
}

const FEW = 12; // settings that need no groups of their own

/** One line for each setting that either run has; without another run they are all the same. */
export function settingRows(own: Record<string, unknown>, other: Record<string, unknown> | null): SettingRow[] {
  const [mine, theirs] = [own, other ?? own].map((values) => new Map(flatten(values).map(([key, value]) => [key, scalar(value)]))) as [Map<string, string>, Map<string, string>];
  return [...new Set([...mine.keys(), ...theirs.keys()])].map((key) => ({ key, own: mine.get(key) ?? null, other: theirs.get(key) ?? null }));
}

export function differs(row: SettingRow): boolean {
  return row.own !== row.other;
}

/** Nested settings by their first name; what is not nested, or nearly alone there, comes first. */
export function byFirstName(title: string, rows: SettingRow[]): SettingGroup[] {
  const nested = Map.groupBy(rows, ({ key }) => (key.includes('.') ? (key.split('.')[0] as string) : ''));
  const large = [...nested].filter(([first, mine]) => first !== '' && mine.length > FEW);
  const rest = rows.filter((row) => !large.some(([, mine]) => mine.includes(row)));
  return [{ title, rows: rest }, ...large.map(([first, mine]) => ({ title: first, rows: mine }))];
}

/** What was typed to start it, as a shell takes it. */
export function command(argv: string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}
