/** Numbers, durations and moments as people read them. */

const MINUS = '−';

export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined) return '–';
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${MINUS}∞`;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size >= 1e7 || size < 1e-4) return value.toExponential(2).replace(/\.?0+e/, 'e').replace('e+', 'e').replaceAll('-', MINUS);
  if (Number.isInteger(value)) return value.toLocaleString('en').replace('-', MINUS);
  const rounded = Number(value.toPrecision(digits));
  return (size >= 1000 ? rounded.toLocaleString('en') : String(rounded)).replace('-', MINUS);
}

/** Where an outcome began, its best and where it is now; empty as long as nobody has judged it. */
export function levels(of: { levels?: { start: number | null; best: number | null; now: number | null } | null }): string {
  return of.levels ? `start ${number(of.levels.start)}, best ${number(of.levels.best)}, now ${number(of.levels.now)}` : '';
}

export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return number(value);
  const size = Math.abs(value);
  for (const [unit, letter] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (size >= unit && (unit > 1e3 || size >= 1e4)) return `${number(value / unit, 3)}${letter}`;
  }
  return number(value, 3);
}

/** A count, such as a step, to its last digit. */
export function whole(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value) || Math.abs(value) >= 1e15) return number(value);
  return value.toLocaleString('en', { maximumFractionDigits: 2 }).replace('-', MINUS);
}

export function duration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return '–';
  const s = Math.abs(seconds);
  if (s < 0.9995) return `${number(s * 1000, 2)} ms`;
  if (s < 9.95) return `${number(s, 2)} s`;
  if (s < 59.5) return `${Math.round(s)} s`;
  const minutes = Math.round(s / 60);
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${number(s / 86400, s < 9.5 * 86400 ? 2 : 3)} d`;
}

export function ago(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–';
  if (seconds < 5) return 'now';
  return `${seconds >= 3600 && seconds < 86400 ? `${Math.round(seconds / 3600)} h` : duration(seconds)} ago`;
}

export function moment(time: number | string | null | undefined, seconds = false): string {
  if (time === null || time === undefined || time === '') return '–';
  const date = new Date(typeof time === 'number' ? time * 1000 : time);
  if (Number.isNaN(date.getTime())) return String(time);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}${seconds ? `:${two(date.getSeconds())}` : ''}`;
}

/** All digits of a setting, but not those that binary fractions make up, in double or in single precision. */
function exact(value: number): string {
  if (!Number.isFinite(value)) return number(value);
  const short = Number(value.toPrecision(7));
  const tidy = !Number.isInteger(value) && Math.fround(short) === value ? short : Number(value.toPrecision(15));
  return (tidy !== 0 && Math.abs(tidy) < 1e-4 ? tidy.toExponential() : String(tidy)).replace('e+', 'e');
}

export function scalar(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number') return exact(value);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  return JSON.stringify(value);
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString('en')} ${word}${count === 1 || word.endsWith('series') ? '' : 's'}`;
}

/** The first of some words, and how many more there are. */
export function few(words: readonly string[], most = 5): string {
  const more = words.length - most;
  return words.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const MOST_MEASURED = 4; // digits of a mean

/** A mean with as many digits as its interval bears out. */
export function measured({ mean, half }: { mean: number; half: number | null }): { mean: string; half: string | null } {
  if (half === null || !(half > 0) || !Number.isFinite(half)) return { mean: number(mean), half: half === null ? null : number(half, 2) };
  const place = Math.floor(Math.log10(half)) - 1; // two digits of the interval
  const first = Math.floor(Math.log10(Math.max(Math.abs(mean), half)));
  const digits = Math.max(1, Math.min(MOST_MEASURED, first - place + 1));
  const told = Number(half.toPrecision(Math.max(1, 2 - Math.max(0, first - digits + 1 - place)))); // not finer than the mean
  return { mean: number(Number(mean.toPrecision(digits)), digits), half: number(told, 2) };
}
