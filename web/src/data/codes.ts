/** Labels along an axis, joined where they would run into each other. */

/** A finding: its code, and its place in the list that it comes from. */
interface Coded {
  code: string;
  index: number;
}

export interface Joined<Item> {
  left: number;
  spans: Item[];
}

const LETTER = 7.5; // pixels, at the size that codes are written in
const GAP = 6; // pixels between two codes

function wide(items: Coded[]): number {
  return items.reduce((sum, one) => sum + LETTER * one.code.length + GAP, 0);
}

/** From left to right; each begins where it belongs, or so far before it that it ends within `end`. */
export function joinedCodes<Item extends Coded>(items: { at: number; item: Item }[], end: number): Joined<Item>[] {
  const made: (Joined<Item> & { at: number })[] = [];
  for (const { at, item } of items.toSorted((a, b) => a.at - b.at || a.item.index - b.item.index)) {
    let next = { at, left: Math.max(0, Math.min(at, end - wide([item]))), spans: [item] };
    for (let before = made.at(-1); before && next.left < before.left + wide(before.spans); before = made.at(-1)) {
      made.pop();
      const spans = joined([...before.spans, ...next.spans]);
      next = { at: before.at, left: Math.max(0, Math.min(before.at, end - wide(spans))), spans };
    }
    made.push(next);
  }
  return made.map(({ left, spans }) => ({ left, spans }));
}

/** Each code once, in the order of the run's list. */
function joined<Item extends Coded>(items: Item[]): Item[] {
  const inOrder = items.toSorted((a, b) => a.index - b.index);
  return inOrder.filter((one, i) => inOrder.findIndex((other) => other.code === one.code) === i);
}
