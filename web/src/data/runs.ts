/** The list of runs: what can be asked of one, and how they are sorted and grouped. */
import type { RunRow } from '../api/types.ts';
import { scalar } from './format.ts';
import { meanOf, type Mean } from './interval.ts';
import { figureOf, wantedOf, type Figures, type Wanted } from './figures.ts';
import type { Scalar, Searchable } from './query.ts';

const SHORT: Record<string, string> = {
  lr: 'learning_rate',
  bs: 'batch_size',
  algo: 'algorithm',
  step: 'steps',
  duration: 'took',
  tags: 'tag',
};

const FIELDS: Record<string, (run: RunRow) => Scalar | Scalar[] | undefined> = {
  name: (run) => run.name,
  project: (run) => run.project,
  path: (run) => run.path,
  status: (run) => run.status,
  format: (run) => run.format,
  framework: (run) => run.framework,
  algorithm: (run) => run.algorithm,
  verdict: (run) => run.verdict?.word ?? null,
  critical: (run) => run.alarms.critical,
  warning: (run) => run.alarms.warning,
  notice: (run) => run.alarms.notice,
  findings: (run) => run.alarms.critical + run.alarms.warning,
  outcome: (run) => run.outcome?.levels?.now ?? run.outcome?.last ?? null,
  steps: (run) => run.last_step,
  speed: (run) => run.steps_per_second,
  took: (run) => tookOf(run),
  age: (run) => ageOf(run),
  started: (run) => run.started,
  updated: (run) => run.updated,
  points: (run) => run.points,
  tag: (run) => run.tags,
  rule: (run) => run.alarms.codes,
};

/** Seconds since it last changed, by this machine's clock. */
export function ageOf(run: Pick<RunRow, 'updated'>, now: number = Date.now() / 1000): number | null {
  return typeof run.updated === 'number' ? Math.max(0, now - run.updated) : null;
}

/** Seconds from its start to its last change. */
export function tookOf(run: Pick<RunRow, 'started' | 'ended' | 'updated'>): number | null {
  const end = run.ended ?? run.updated;
  return typeof run.started === 'number' && typeof end === 'number' && end >= run.started ? end - run.started : null;
}

export type Field = (run: RunRow, name: string) => Scalar | Scalar[] | undefined;

/** Whether a run could have a field of this name without a look at its metrics. */
export function isField(name: string): boolean {
  return (SHORT[name] ?? name) in FIELDS;
}

/** Fields of runs and, where none is of that name, figures of their metrics. */
export function fieldsWith(figures: Figures | null, outcome: Wanted | null): Field {
  return (run, name) => {
    if (name === 'outcome' && outcome) return figureOf(figures, run.id, outcome) ?? null;
    const own = fieldOf(run, name);
    return own === undefined ? figureOf(figures, run.id, wantedOf(name) ?? { metric: name, kind: 'end' }) : own;
  };
}

export function fieldOf(run: RunRow, name: string): Scalar | Scalar[] | undefined {
  const wanted = SHORT[name] ?? name;
  const field = FIELDS[wanted];
  if (field) return field(run) ?? null;
  const exact = run.config[wanted] ?? run.config[name];
  if (exact !== undefined) return exact;
  const ending = Object.keys(run.config).find((key) => /[./]([^./]+)$/.exec(key)?.[1] === wanted);
  return ending === undefined ? undefined : run.config[ending];
}

export function searchable(run: RunRow, field: Field = fieldOf): Searchable {
  const parts = [run.name, run.project, run.path, run.status, run.algorithm, run.framework, run.verdict?.word, ...run.tags];
  return { text: parts.filter(Boolean).join('\n'), field: (name) => field(run, name) };
}

const BAD = new Set(['diverged', 'collapsed', 'not learning']);
const WORST_FIRST = ['diverged', 'collapsed', 'not learning', 'overfitting', 'stalled', 'cannot tell', 'too early to tell', 'learning', 'learned'];

function rank(run: RunRow, key: string, field: Field): Scalar {
  if (key === 'verdict') return run.verdict ? WORST_FIRST.indexOf(run.verdict.word) : null;
  if (key === 'findings') return run.alarms.critical * 1e6 + run.alarms.warning * 1e3 + run.alarms.notice;
  if (key === 'status') return run.status === 'running' ? '' : run.status;
  if (key === 'updated' && run.status === 'running') return Number.MAX_VALUE; // those that go on keep their order
  const value = field(run, key);
  return Array.isArray(value) ? value.join(' ') : (value ?? null);
}

/** `-age` sorts downwards; what is unknown comes last either way. */
export function sorted(runs: RunRow[], sort: string, field: Field = fieldOf): RunRow[] {
  const { key, down } = order(sort);
  return ranked(runs, (run) => rank(run, key, field), down);
}

function order(sort: string): { key: string; down: boolean } {
  return sort.startsWith('-') ? { key: sort.slice(1), down: true } : { key: sort, down: false };
}

function ranked<T>(items: T[], of: (item: T) => Scalar, down: boolean): T[] {
  const keyed = items.map((item) => ({ item, value: of(item) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    const found = compare(a.value, b.value);
    return down ? -found : found;
  });
  return keyed.map(({ item }) => item);
}

function compare(a: Scalar, b: Scalar): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** What a group says of its runs together: how many, how many are ill, and the mean of any figure. */
export interface Group {
  kind: 'group';
  label: string;
  runs: RunRow[];
  open: boolean;
  judged: number;
  bad: number;
  mean: (key: string) => Mean | null;
}

export type Item = { kind: 'run'; run: RunRow } | Group;

export interface Grouping {
  by: string | null;
  closed: ReadonlySet<string>;
  sort: string;
  field: Field;
}

/** Rows of the table: runs, or groups with those of the open ones below them. `runs` are sorted already. */
export function grouped(runs: RunRow[], { by, closed, sort, field }: Grouping): Item[] {
  if (!by) return runs.map((run) => ({ kind: 'run', run }));
  const groups = new Map<string, RunRow[]>();
  for (const run of runs) {
    const value = field(run, by);
    const label = value === undefined || value === null ? 'not set' : Array.isArray(value) ? value.join(', ') || 'none' : scalar(value);
    const members = groups.get(label);
    if (members) members.push(run);
    else groups.set(label, [run]);
  }
  const made = [...groups].map(([label, members]) => groupOf(label, members, !closed.has(label), field));
  return sortedGroups(made, sort).flatMap((group): Item[] => [group, ...(group.open ? group.runs.map((run): Item => ({ kind: 'run', run })) : [])]);
}

function groupOf(label: string, runs: RunRow[], open: boolean, field: Field): Group {
  const known = new Map<string, Mean | null>();
  const number = (run: RunRow, key: string): number | null => {
    const value = field(run, key);
    return typeof value === 'number' ? value : null;
  };
  return {
    kind: 'group',
    label,
    runs,
    open,
    judged: runs.filter((run) => run.verdict).length,
    bad: runs.filter((run) => BAD.has(run.verdict?.word ?? '')).length,
    mean: (key) => {
      if (!known.has(key)) known.set(key, meanOf(runs.map((run) => number(run, key))));
      return known.get(key) ?? null;
    },
  };
}

/** By what they say of their runs together; where that is nothing, in the order of their first runs. */
function sortedGroups(groups: Group[], sort: string): Group[] {
  const { key, down } = order(sort);
  if (key === 'updated' || key === 'status') return groups;
  if (key === 'name') return ranked(groups, (group) => group.label, down);
  if (key === 'size') return ranked(groups, (group) => group.runs.length, down);
  if (key === 'verdict') return ranked(groups, (group) => (group.judged ? -group.bad / group.judged : null), down);
  return groups.some((group) => group.mean(key)) ? ranked(groups, (group) => group.mean(key)?.mean ?? null, down) : groups;
}

/** Settings in which these runs differ: those that were varied, then those that only some have, seeds last. */
export function differing(runs: RunRow[], keys: string[], most: number): string[] {
  const values = (key: string): Set<string> => new Set(runs.map((run) => JSON.stringify(run.config[key] ?? null)));
  const weight = (key: string): number => (/(^|[._])seed$/.test(key) ? 2 : values(key).size - Number(values(key).has('null')) > 1 ? 0 : 1);
  return keys
    .filter((key) => values(key).size > 1)
    .map((key) => [weight(key), key] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, key]) => key)
    .slice(0, most);
}
