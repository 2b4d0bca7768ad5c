/**
 * What people type to find runs: words (regular expressions) and comparisons, all of which must hold.
 *
 *   cartpole lr>1e-4 verdict=collapsed|diverged -tag:old name~seed[0-3]
 */

export type Scalar = string | number | boolean | null;

/** What can be asked of a run: its words to search, and a value for a field's name. */
export interface Searchable {
  text: string;
  field(name: string): Scalar | Scalar[] | undefined;
}

export type Test = (run: Searchable) => boolean;

/** A query that was understood: what it asks, which fields it names, and what of it is wrong. */
export interface Query {
  matches: Test;
  fields: string[];
  problems: string[];
}

const COMPARISON = /^(-?)([\w./@-]+?(?::(?:end|last|best|highest|lowest))?)(>=|<=|!=|==|=|>|<|~|:)(.*)$/s;

export function understand(query: string): Query {
  const found: Query = { matches: () => true, fields: [], problems: [] };
  const tests = words(query).map((word) => oneTest(word, found));
  found.matches = (run) => tests.every((test) => test(run));
  return found;
}

export function compile(query: string): Test {
  return understand(query).matches;
}

/** Splits at spaces, but for those within double quotes. */
export function words(query: string): string[] {
  return [...query.matchAll(/(?:[^\s"]+|"[^"]*"?)+/g)].map(([word]) => word.replaceAll('"', ''));
}

/** A word as it has to be typed: with quotes if it has spaces. */
export function quoted(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}

function oneTest(word: string, found: Query): Test {
  const comparison = COMPARISON.exec(word);
  if (comparison) {
    const [, minus, field, sign, wanted] = comparison as unknown as [string, string, string, string, string];
    if (wanted !== '') {
      found.fields.push(field);
      const test = compare(field, sign, wanted, found);
      return minus ? (run) => !test(run) : test;
    }
  }
  const negated = word.startsWith('-') && word.length > 1;
  const pattern = expression(negated ? word.slice(1) : word, found);
  return (run) => pattern.test(run.text) !== negated;
}

function compare(field: string, sign: string, wanted: string, found: Query): Test {
  const holds = relation(sign, wanted, found);
  return (run) => {
    const value = run.field(field);
    if (value === undefined) return sign === '!=';
    if (!Array.isArray(value)) return holds(value);
    return sign === '!=' ? value.every(holds) : value.some(holds);
  };
}

function relation(sign: string, wanted: string, found: Query): (value: Scalar) => boolean {
  const limit = quantity(wanted);
  if (/^[<>]/.test(sign) && Number.isNaN(limit)) found.problems.push(`“${wanted}” is not a number to compare with`);
  const number = (holds: (value: number) => boolean) => (value: Scalar) => value !== null && holds(Number(value));
  switch (sign) {
    case '>':
      return number((value) => value > limit && !equal(value, limit));
    case '>=':
      return number((value) => value >= limit || equal(value, limit));
    case '<':
      return number((value) => value < limit && !equal(value, limit));
    case '<=':
      return number((value) => value <= limit || equal(value, limit));
    case '!=':
      return (value) => !same(value, wanted);
    case '~':
    case ':': {
      const pattern = expression(wanted, found);
      return (value) => pattern.test(String(value));
    }
    default:
      return (value) => same(value, wanted);
  }
}

/** 1e-4, 50k, 2M; and durations in seconds: 10m is ten million, so minutes are `10min`. */
export function quantity(text: string): number {
  const parts = /^([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(k|m|g|s|min|h|d)?$/i.exec(text);
  if (!parts) return Number(text);
  const factor = { k: 1e3, m: 1e6, g: 1e9, s: 1, min: 60, h: 3600, d: 86400 }[(parts[2] ?? 's').toLowerCase()];
  return Number(parts[1]) * (factor ?? Number.NaN);
}

const SINGLE = 2e-7; // what single precision, in which many tools log, may take from a number

/** Whole numbers are counts and equal only themselves; 0.009999999776482582 is the 0.01 that somebody typed. */
function equal(a: number, b: number): boolean {
  if (a === b || (Number.isInteger(a) && Number.isInteger(b))) return a === b;
  return Math.abs(a - b) <= SINGLE * Math.max(Math.abs(a), Math.abs(b));
}

/** `none` is what a run does not have; `a|b` is one or the other. */
function same(value: Scalar, wanted: string): boolean {
  return wanted.split('|').some((one) => {
    if (value === null) return one.toLowerCase() === 'none';
    if (typeof value === 'number') return equal(value, quantity(one));
    return String(value).toLowerCase() === one.toLowerCase();
  });
}

/** A regular expression if it is one, else the text itself, and a word on what is wrong with it. */
function expression(text: string, found: Query): RegExp {
  try {
    return new RegExp(text, 'im');
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^.*: /, '').toLowerCase() : '';
    found.problems.push(`“${text}” is not a regular expression${why && ` (${why})`}; it is searched for as it stands`);
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  }
}
