/**
 * What people type to find runs: words (regular expressions) and comparisons, all of which must hold.
 *
 *   cartpole lr>1e-4 verdict=collapsed -tag:old name~seed[0-3]
 */

export type Scalar = string | number | boolean | null;

/** What can be asked of a run: its words to search, and a value for a field's name. */
export interface Searchable {
  text: string;
  field(name: string): Scalar | Scalar[] | undefined;
}

type Test = (run: Searchable) => boolean;

const COMPARISON = /^(-?)([\w./@-]+?)(>=|<=|!=|==|=|>|<|~|:)(.*)$/;

export function compile(query: string): Test {
  const tests = words(query).map(oneTest);
  return (run) => tests.every((test) => test(run));
}

/** Splits at spaces, but for those within double quotes. */
function words(query: string): string[] {
  return [...query.matchAll(/(?:[^\s"]+|"[^"]*"?)+/g)].map(([word]) => word.replaceAll('"', ''));
}

function oneTest(word: string): Test {
  const comparison = COMPARISON.exec(word);
  if (comparison) {
    const [, minus, field, sign, wanted] = comparison as unknown as [string, string, string, string, string];
    if (wanted !== '') {
      const test = compare(field, sign, wanted);
      return minus ? (run) => !test(run) : test;
    }
  }
  const negated = word.startsWith('-') && word.length > 1;
  const pattern = expression(negated ? word.slice(1) : word);
  return (run) => pattern.test(run.text) !== negated;
}

function compare(field: string, sign: string, wanted: string): Test {
  const holds = relation(sign, wanted);
  return (run) => {
    const value = run.field(field);
    if (value === undefined) return sign === '!=';
    if (!Array.isArray(value)) return holds(value);
    return sign === '!=' ? value.every(holds) : value.some(holds);
  };
}

function relation(sign: string, wanted: string): (value: Scalar) => boolean {
  const limit = quantity(wanted);
  switch (sign) {
    case '>':
      return (value) => Number(value) > limit && value !== null;
    case '>=':
      return (value) => Number(value) >= limit && value !== null;
    case '<':
      return (value) => Number(value) < limit && value !== null;
    case '<=':
      return (value) => Number(value) <= limit && value !== null;
    case '!=':
      return (value) => !same(value, wanted);
    case '~':
    case ':': {
      const pattern = expression(wanted);
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

function same(value: Scalar, wanted: string): boolean {
  if (typeof value === 'number') return value === quantity(wanted);
  return String(value).toLowerCase() === wanted.toLowerCase();
}

/** A regular expression if it is one, else the text itself. */
function expression(text: string): RegExp {
  try {
    return new RegExp(text, 'i');
  } catch {
    return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  }
}
