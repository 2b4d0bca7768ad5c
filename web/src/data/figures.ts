/** Figures of metrics in the list of runs: which of them a column shows, and what a run has. */
import type { RunColumns, RunRow } from '../api/types.ts';

/** What of a metric is shown; the first is meant where nothing is said. */
export const KINDS = ['end', 'last', 'best', 'highest', 'lowest'] as const;
export type Kind = (typeof KINDS)[number];
export const KIND_TITLES: Record<Kind, string> = {
  end: 'level at the end',
  last: 'last value',
  best: 'best value',
  highest: 'highest value',
  lowest: 'lowest value',
};

export interface Wanted {
  metric: string;
  kind: Kind;
}

type Column = Omit<RunColumns['columns'][number], 'runs'> & { runs: Map<string, (number | null)[]> };
type Curve = (number | null)[];

/** What the server told so far of the metrics that were asked for. */
export interface Figures {
  version: string;
  columns: Map<string, Column>;
  curves: Map<string, Curve>;
}

const ENDING = new RegExp(`^(.+):(${KINDS.join('|')})$`);

/** `eval/loss:last` is a metric; null if nothing says which of its figures is meant. */
export function wantedOf(key: string): Wanted | null {
  const parts = ENDING.exec(key);
  return parts ? { metric: parts[1] as string, kind: parts[2] as Kind } : null;
}

export function keyOf({ metric, kind }: Wanted): string {
  return `${metric}:${kind}`;
}

export function merged(known: Figures | null, news: RunColumns): Figures {
  const older = news.whole ? null : known;
  return {
    version: news.version,
    columns: new Map(
      news.columns.map((column) => {
        const runs = new Map([...(older?.columns.get(column.asked)?.runs ?? []), ...Object.entries(column.runs)]);
        const told = column.metric ? column : { ...column, ...(older?.columns.get(column.asked) ?? {}) };
        return [column.asked, { ...told, runs }];
      }),
    ),
    curves: new Map([...(older?.curves ?? []), ...Object.entries(news.curves)]),
  };
}

/** Null if the run does not have it, undefined as long as nobody has asked. */
export function figureOf(figures: Figures | null, id: string, { metric, kind }: Wanted): number | null | undefined {
  const column = figures?.columns.get(metric);
  if (!column) return undefined;
  const [last, end, low, high] = column.runs.get(id) ?? [];
  if (kind === 'best') return (column.direction === 'lower' ? low : column.direction === 'higher' ? high : null) ?? null;
  return { last, end, lowest: low, highest: high }[kind] ?? null;
}

/** The outcomes of some runs, and how many have each; what most have comes first, then what verdicts rest on. */
export function outcomesOf(runs: RunRow[]): { metric: string; runs: number }[] {
  const found = new Map<string, { runs: number; told: number }>();
  for (const run of runs) {
    const own = run.outcome ? (run.outcome.metric ?? run.outcome.name) : null;
    for (const metric of new Set([...(own ? [own] : []), ...run.outcomes])) {
      const known = found.get(metric) ?? { runs: 0, told: 0 };
      found.set(metric, { runs: known.runs + 1, told: known.told + Number(metric === own) });
    }
  }
  return [...found]
    .sort(([, a], [, b]) => b.runs - a.runs || b.told - a.told)
    .map(([metric, { runs: count }]) => ({ metric, runs: count }));
}
