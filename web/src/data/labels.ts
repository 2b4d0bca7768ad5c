/** What tells the series of one chart apart, in few words. */
import type { SeriesName } from '../api/types.ts';

type Named = Pick<SeriesName, 'key' | 'labels' | 'rank'>;

export function labelsOf(names: Named[]): string[] {
  const short = names.map((name) => (names.length > 1 ? shortOf(name) : name.key));
  return short.map((label, i) => (short.indexOf(label) === short.lastIndexOf(label) ? label : (names[i] as Named).key));
}

function shortOf({ key, labels, rank }: Named): string {
  const told = [...Object.values(labels), ...(typeof rank !== 'number' ? [] : [`rank ${rank}`])];
  return told.join(' · ') || key;
}
