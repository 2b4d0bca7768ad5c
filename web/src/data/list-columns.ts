/** The columns of the list of runs: any part of a run, any setting, any figure of a metric. */
import { KIND_TITLES, wantedOf, type Figures, type Wanted } from './figures.ts';
import { short } from './format.ts';

export interface ListColumn {
  key: string;
  title: string;
  /** A second, quiet line of the head. */
  below: string;
  about: string;
  width: string;
  right: boolean;
}

const OWN: Record<string, [title: string, about: string, width: string, right: boolean]> = {
  status: ['Status', 'Is it still running?', '88px', false],
  findings: ['Findings', 'What the rules found: critical, warning, notice', '152px', false],
  curve: ['', 'The outcome over the whole run, all runs on one scale', 'minmax(130px, 0.8fr)', false],
  outcome: ['', 'The outcome of all runs: ranks them by one metric', 'minmax(112px, 0.7fr)', true],
  steps: ['Steps', 'How far it is', '66px', true],
  speed: ['Steps/s', 'Steps a second, lately', '68px', true],
  took: ['Took', 'From its start to its last change', '70px', true],
  updated: ['Updated', 'When something was last written', '88px', true],
  algorithm: ['Algorithm', 'What trains it', 'minmax(84px, 0.5fr)', false],
  project: ['Project', 'The project, or the folder that it lies in', 'minmax(84px, 0.6fr)', false],
  tag: ['Tags', 'Tags', 'minmax(84px, 0.6fr)', false],
  framework: ['Framework', 'What it was trained with', 'minmax(84px, 0.5fr)', false],
};
export const OWN_COLUMNS = Object.keys(OWN);
export const USUAL_COLUMNS = ['findings', 'curve', 'outcome', 'steps', 'took', 'updated'];

/** What a head says of itself: the end of a metric's name, as its beginning is often that of its neighbours. */
function ending(name: string): string {
  return name.split('/').at(-1) ?? name;
}

export interface Shown {
  outcome: Wanted | null;
  figures: Figures | null;
  scale: { low: number; high: number } | null;
}

export function listColumn(key: string, { outcome, figures, scale }: Shown): ListColumn {
  const own = OWN[key];
  const metric = outcome?.metric ?? 'Outcome';
  if (key === 'curve') {
    const said = scale ? `${short(scale.low)} to ${short(scale.high)}, one scale` : '';
    return { key, title: ending(metric), below: said, about: `${metric}: ${OWN.curve?.[1] ?? ''}`, width: OWN.curve?.[2] ?? '', right: false };
  }
  if (key === 'outcome') {
    const title = figures?.columns.get(metric)?.title ?? metric;
    return { key, title: ending(metric), below: outcome ? KIND_TITLES[outcome.kind] : '', about: `${title}: ${own?.[1] ?? ''}`, width: own?.[2] ?? '', right: true };
  }
  if (own) return { key, title: own[0], below: '', about: own[1], width: own[2], right: own[3] };
  const wanted = wantedOf(key);
  if (!wanted) return { key, title: key, below: 'setting', about: `The setting ${key}`, width: 'minmax(84px, 0.55fr)', right: true };
  const title = figures?.columns.get(wanted.metric)?.title ?? wanted.metric;
  return { key, title: ending(wanted.metric), below: KIND_TITLES[wanted.kind], about: `${title} (${wanted.metric}), ${KIND_TITLES[wanted.kind]}`, width: 'minmax(96px, 0.6fr)', right: true };
}

/** Metrics that have to be asked for: those of columns and of the sorting, and names in the search that nothing else has. */
export function metricsAsked(columns: string[], sort: string, outcome: Wanted | null, fields: string[]): string[] {
  const keys = [...columns, sort.replace(/^-/, '')].flatMap((key) => wantedOf(key)?.metric ?? []);
  const searched = fields.map((field) => wantedOf(field)?.metric ?? field);
  return [...new Set([...(outcome ? [outcome.metric] : []), ...keys, ...searched])];
}

/** One place to the front. */
export function moved(columns: string[], key: string): string[] {
  const at = columns.indexOf(key);
  if (at < 1) return columns;
  const next = [...columns];
  [next[at - 1], next[at]] = [key, columns[at - 1] as string];
  return next;
}
