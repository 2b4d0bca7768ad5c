/** What differs between the settings of two runs. */
import { scalar } from './format.ts';
import { flatten } from './flatten.ts';

export interface Difference {
  key: string;
  own: string | null;
  other: string | null;
}

export function differences(own: Record<string, unknown>, other: Record<string, unknown>): Difference[] {
  const [mine, theirs] = [own, other].map((config) => new Map(flatten(config).map(([key, value]) => [key, scalar(value)]))) as [Map<string, string>, Map<string, string>];
  return [...new Set([...mine.keys(), ...theirs.keys()])]
    .map((key) => ({ key, own: mine.get(key) ?? null, other: theirs.get(key) ?? null }))
    .filter((one) => one.own !== one.other)
    .sort((a, b) => Number(a.own === null) - Number(b.own === null) || Number(a.other === null) - Number(b.other === null));
}
