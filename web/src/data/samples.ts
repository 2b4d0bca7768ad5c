/** Logged samples as a dense table: what each field is, groups of one prompt, and which two to compare. */
import type { SampleRow } from '../api/types.ts';

export interface Roles {
  prompt: string | null;
  text: string | null;
  reward: string | null;
  length: string | null;
  /** Other numbers: parts of the reward and whatever else was logged. */
  parts: string[];
  /** Other texts, such as the right answer. */
  texts: string[];
}

const NAMES = {
  prompt: ['prompt', 'input', 'query', 'question', 'instruction', 'problem'],
  text: ['completion', 'output', 'response', 'generated_text', 'generation', 'text', 'answer'],
  reward: ['reward', 'score', 'total_reward', 'return', 'episode_reward'],
  length: ['length', 'tokens', 'completion_length', 'response_length', 'num_tokens'],
} as const;

export function rolesOf(fields: string[], samples: SampleRow[]): Roles {
  const is = (field: string, type: string): boolean => samples.some((sample) => typeof sample.fields[field] === type);
  const found = (role: keyof typeof NAMES, type: string): string | null =>
    NAMES[role].map((name) => fields.find((field) => field.toLowerCase() === name) ?? '').find((field) => field && is(field, type)) ?? null;
  const roles = { prompt: found('prompt', 'string'), text: found('text', 'string'), reward: found('reward', 'number'), length: found('length', 'number') };
  const rest = fields.filter((field) => field !== 'step' && !Object.values(roles).includes(field));
  return { ...roles, parts: rest.filter((field) => is(field, 'number')), texts: rest.filter((field) => !is(field, 'number')) };
}

export function numberIn(sample: SampleRow, field: string | null): number | null {
  const value = field === null ? null : sample.fields[field];
  return typeof value === 'number' ? value : null;
}

export function textIn(sample: SampleRow, field: string | null): string {
  const value = field === null ? '' : (sample.fields[field] ?? '');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** How long a text is: as it was logged, else in characters. */
export function lengthOf(sample: SampleRow, roles: Roles): number {
  return numberIn(sample, roles.length) ?? textIn(sample, roles.text).length;
}

export interface Group {
  prompt: string;
  samples: SampleRow[];
}

/** Samples by their prompt, in the order in which prompts come; within one by step, the newest first. */
export function byPrompt(samples: SampleRow[], roles: Roles): Group[] {
  const groups = new Map<string, SampleRow[]>();
  for (const sample of samples) {
    const prompt = textIn(sample, roles.prompt);
    groups.set(prompt, [...(groups.get(prompt) ?? []), sample]);
  }
  return [...groups].map(([prompt, mine]) => ({ prompt, samples: mine.sort((a, b) => b.step - a.step || b.index - a.index) }));
}

/**
 * The sample to compare one with: of the same prompt at an earlier step, the best paid of the latest such step; else
 * of the same prompt at any other step; else the one before it.
 */
export function counterpart(sample: SampleRow, all: SampleRow[], roles: Roles): SampleRow | null {
  const same = all.filter((one) => one.index !== sample.index && textIn(one, roles.prompt) === textIn(sample, roles.prompt));
  const pool = same.length ? same : all.filter((one) => one.index !== sample.index);
  const earlier = pool.filter((one) => one.step < sample.step);
  const step = earlier.length ? Math.max(...earlier.map((one) => one.step)) : null;
  const there = step === null ? pool : earlier.filter((one) => one.step === step);
  return there.reduce<SampleRow | null>((best, one) => (best === null || (numberIn(one, roles.reward) ?? 0) > (numberIn(best, roles.reward) ?? 0) ? one : best), null);
}

/** How many values lie in each of some equal parts of their range. */
export function histogram(values: number[], bins = 24): { low: number; high: number; counts: number[] } | null {
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!Number.isFinite(low) || low === high) return null;
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor(((value - low) / (high - low)) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { low, high, counts };
}
