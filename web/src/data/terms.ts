/** Words of the glossary within each other's definitions. */
export interface Part {
  text: string;
  /** The term it stands for; null for other text. */
  word: string | null;
}

/** `terms`: each word of the glossary with its other spellings. A term is not linked in its own definition. */
export function linker(terms: string[][]): (text: string, own: string) => Part[] {
  const words = new Map(terms.flatMap((spellings) => spellings.map((one) => [one.toLowerCase(), spellings[0] as string])));
  const longestFirst = [...words.keys()].sort((a, b) => b.length - a.length).map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (!longestFirst.length) return (text) => [{ text, word: null }];
  const known = new RegExp(`(?<![\\w.-])(${longestFirst.join('|')})(?![\\w-])`, 'gi');
  return (text, own) =>
    text
      .split(known)
      .filter(Boolean)
      .map((part) => ({ text: part, word: words.get(part.toLowerCase()) ?? null }))
      .map((part) => (part.word === own ? { text: part.text, word: null } : part));
}
