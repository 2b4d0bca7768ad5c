/** Names of runs side by side: short, and made of what tells them apart. */
import { scalar } from './format.ts';
import type { Scalar } from './query.ts';

const LONGEST = 26;
const HEAD = 9; // letters kept of the beginning of a name that is cut in its middle
const WORTH_CUTTING = 6;
export const SEED = /(^|[._/])(\w*_)?seed$/;
export const OWN = /(^|[._/])(run_?name|exp_?name|name|id|\w*_(dir|path|file)|timestamp|time)$/; // differ in any two runs
const SHORT: Record<string, string> = { learning_rate: 'lr', batch_size: 'batch', clip_range: 'clip' };

export interface Told {
  id: string;
  name: string;
  project: string;
}

/** Settings that differ, and with them seeds, then project, name and id, as far as they tell runs apart. */
export function told(runs: Told[], config: { key: string; values: Scalar[] }[]): string[] {
  const settings = config.filter(({ key }) => !OWN.test(key)).sort((a, b) => Number(SEED.test(a.key)) - Number(SEED.test(b.key)));
  const shared = commonStart(runs.map((run) => run.name));
  const parts: ((i: number) => string)[] = [
    ...settings.map(({ key, values }) => (i: number) => (values[i] === null ? '' : `${wordFor(key)} ${middleCut(scalar(values[i]))}`)),
    (i) => runs[i]?.project ?? '',
    (i) => middleCut((runs[i]?.name ?? '').slice(shared >= WORTH_CUTTING ? shared : 0)),
    (i) => `${runs[i]?.name ?? ''} ${runs[i]?.id ?? ''}`,
  ];
  let labels = runs.map(() => '');
  for (const part of parts) {
    const next = labels.map((label, i) => [label, part(i)].filter(Boolean).join(' · '));
    if (new Set(next).size > new Set(labels).size) labels = next;
  }
  return labels.map((label, i) => label || middleCut(runs[i]?.name ?? ''));
}

/** A setting in as few letters as people use for it. */
export function wordFor(key: string): string {
  const last = key.split(/[./]/).at(-1) ?? key;
  return SHORT[last] ?? last;
}

/** How many letters all names begin with, up to the end of a word, so that something remains of each. */
export function commonStart(names: string[]): number {
  const [first = '', ...rest] = names;
  if (!rest.length) return 0;
  let same = 0;
  while (same < first.length && rest.every((name) => name[same] === first[same])) same += 1;
  const word = Math.max(...['-', '_', '/'].map((mark) => first.lastIndexOf(mark, same - 1)));
  return names.every((name) => name.length > word + 1) ? word + 1 : 0;
}

export function middleCut(name: string): string {
  return name.length <= LONGEST ? name : `${name.slice(0, HEAD)}…${name.slice(HEAD + 1 - LONGEST)}`;
}
