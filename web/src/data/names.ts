/** Names of runs side by side: short, yet each its own. */

const LONGEST = 26;
const HEAD = 9; // letters kept of the beginning of a name that is cut in its middle
const WORTH_CUTTING = 6;

export function told(names: string[]): string[] {
  const common = commonStart(names);
  const cut = common >= WORTH_CUTTING ? names.map((name) => name.slice(common)) : names;
  const short = cut.map(middleCut);
  const seen = new Map<string, number>();
  return short.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count > 1 ? `${name} (${count})` : name;
  });
}

/** How many letters all names begin with, up to the end of a word, so that something remains of each. */
function commonStart(names: string[]): number {
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
