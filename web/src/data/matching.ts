/** Searching: each word is a regular expression, and all of them have to match. */

export type Match = (text: string) => boolean;

export function matcher(search: string): Match {
  const words = search.trim().split(/\s+/).filter(Boolean).map(expression);
  return (text) => words.every((word) => word.test(text));
}

/** What is no regular expression, such as `(` while it is being typed, is taken as it is. */
function expression(word: string): RegExp {
  try {
    return new RegExp(word, 'i');
  } catch {
    return new RegExp(word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  }
}
