/** The history of a run as lanes over its steps. */
import type { RunEvents } from '../api/types.ts';

export type Happening = RunEvents['events'][number];
export interface Mark {
  /** Its place among all events. */
  index: number;
  /** Where it begins and ends, as shares of the run. */
  from: number;
  to: number;
  /** In which row of its lane, so that none covers another. */
  row: number;
  event: Happening;
}
export interface Lane {
  title: string;
  marks: Mark[];
  rows: number;
}

const APART = 0.012; // shares of the run: marks have a width even if they have no length

const LANES: [string, string[]][] = [
  ['Critical', ['critical']],
  ['Warnings', ['warning']],
  ['Notices', ['notice']],
  ['Learning rate', ['rate']],
  ['Starts and end', ['start', 'restart', 'end']],
  ['Checkpoints', ['checkpoint']],
  ['Texts', ['text']],
];

/** What happened by kind; an event without a step lies at the beginning, an end at the end. */
export function lanes(events: Happening[]): { lanes: Lane[]; first: number; last: number } {
  const steps = events.flatMap((event) => [event.step, event.last_step]).filter((step) => typeof step === 'number');
  const [first, last] = [Math.min(...steps, Infinity), Math.max(...steps, -Infinity)];
  const share = (step: number): number => (last > first ? (step - first) / (last - first) : 0);
  const found = LANES.map(([title, kinds]): Lane => {
    const marks = events.flatMap((event, index): Mark[] => {
      if (!kinds.includes(event.severity ?? event.kind)) return [];
      const from = share(event.step ?? (event.kind === 'end' ? last : first));
      return [{ index, from, to: Math.max(from, share(event.last_step ?? event.step ?? first)), row: 0, event }];
    });
    const ends: number[] = [];
    for (const mark of marks.toSorted((a, b) => a.from - b.from)) {
      const free = ends.findIndex((end) => end + APART < mark.from);
      mark.row = free < 0 ? ends.length : free;
      ends[mark.row] = mark.to;
    }
    return { title, marks, rows: ends.length };
  });
  return { lanes: found.filter((lane) => lane.marks.length > 0), first, last };
}
