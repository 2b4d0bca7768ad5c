/** The history of a run as lanes over its steps. */
import type { RunEvents } from '../api/types.ts';

export type Happening = RunEvents['events'][number];
export interface Mark {
  /** Its place among all events. */
  index: number;
  /** Where it begins and ends, as shares of the run. */
  from: number;
  to: number;
  event: Happening;
}
export interface Lane {
  title: string;
  marks: Mark[];
}

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
      return [{ index, from, to: Math.max(from, share(event.last_step ?? event.step ?? first)), event }];
    });
    return { title, marks };
  });
  return { lanes: found.filter((lane) => lane.marks.length > 0), first, last };
}
