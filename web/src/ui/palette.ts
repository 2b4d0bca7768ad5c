/** A colour for each run of a comparison that stays its own while others come and go. */
const given = new Map<string, number>();

export function coloursFor(keys: string[]): Map<string, number> {
  const taken = new Set<number>();
  const colours = new Map<string, number>();
  for (const key of keys) {
    const known = given.get(key);
    if (known === undefined || taken.has(known)) continue;
    colours.set(key, known);
    taken.add(known);
  }
  for (const key of keys) {
    if (colours.has(key)) continue;
    let free = 0;
    while (taken.has(free)) free += 1;
    colours.set(key, free);
    taken.add(free);
    given.set(key, free);
  }
  return colours;
}
