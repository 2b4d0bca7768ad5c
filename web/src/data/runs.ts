/** The list of runs: what can be asked of one, and how they are sorted and grouped. */
import type { RunRow } from '../api/types.ts';
import type { Scalar, Searchable } from './query.ts';

const SHORT: Record<string, string> = {
  lr: 'learning_rate',
  bs: 'batch_size',
  algo: 'algorithm',
  step: 'steps',
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
  age: (run) => ageOf(run),
  started: (run) => run.started,
  updated: (run) => run.updated,
  points: (run) => run.points,
  tag: (run) => run.tags,
};

/** Seconds since it last changed, by this machine's clock. */
export function ageOf(run: Pick<RunRow, 'updated'>, now: number = Date.now() / 1000): number | null {
  return typeof run.updated === 'number' ? Math.max(0, now - run.updated) : null;
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

export function searchable(run: RunRow): Searchable {
  const parts = [run.name, run.project, run.path, run.status, run.algorithm, run.framework, run.verdict?.word, ...run.tags];
  return { text: parts.filter(Boolean).join('\n'), field: (name) => fieldOf(run, name) };
}

const WORST_FIRST = ['diverged', 'collapsed', 'not learning', 'overfitting', 'stalled', 'cannot tell', 'too early to tell', 'learning', 'learned'];

function rank(run: RunRow, key: string): Scalar {
  if (key === 'verdict') return run.verdict ? WORST_FIRST.indexOf(run.verdict.word) : null;
  if (key === 'findings') return run.alarms.critical * 1e6 + run.alarms.warning * 1e3 + run.alarms.notice;
  if (key === 'status') return run.status === 'running' ? '' : run.status;
  if (key === 'updated' && run.status === 'running') return Number.MAX_VALUE; // those that go on keep their order
  const value = fieldOf(run, key);
  return Array.isArray(value) ? value.join(' ') : (value ?? null);
}

/** `-age` sorts downwards; what is unknown comes last either way. */
export function sorted(runs: RunRow[], sort: string): RunRow[] {
  const down = sort.startsWith('-');
  const key = down ? sort.slice(1) : sort;
  const keyed = runs.map((run) => ({ run, value: rank(run, key) }));
  keyed.sort((a, b) => {
    if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
    const order = compare(a.value, b.value);
    return down ? -order : order;
  });
  return keyed.map(({ run }) => run);
}

function compare(a: Scalar, b: Scalar): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

export type Item = { kind: 'run'; run: RunRow } | { kind: 'group'; label: string; runs: RunRow[]; open: boolean };

/** Rows of the table: runs, or groups with those of the open ones below them. */
export function grouped(runs: RunRow[], key: string | null, closed: ReadonlySet<string>): Item[] {
  if (!key) return runs.map((run) => ({ kind: 'run', run }));
  const groups = new Map<string, RunRow[]>();
  for (const run of runs) {
    const value = fieldOf(run, key);
    const label = value === undefined || value === null ? 'not set' : Array.isArray(value) ? value.join(', ') || 'none' : String(value);
    const members = groups.get(label);
    if (members) members.push(run);
    else groups.set(label, [run]);
  }
  return [...groups].flatMap(([label, members]): Item[] => {
    const open = !closed.has(label);
    return [{ kind: 'group', label, runs: members, open }, ...(open ? members.map((run): Item => ({ kind: 'run', run })) : [])];
  });
}

/** Settings in which these runs differ, the ones that most runs have first. */
export function differing(runs: RunRow[], keys: string[], most: number): string[] {
  return keys
    .filter((key) => new Set(runs.map((run) => JSON.stringify(run.config[key] ?? null))).size > 1)
    .slice(0, most);
}
