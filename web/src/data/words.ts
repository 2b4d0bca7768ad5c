/** What changed between two texts, word by word. */

export interface Piece {
  kind: 'same' | 'gone' | 'new';
  text: string;
}

const LONGEST = 2000; // words; the table below grows with the square

export function diff(before: string, after: string): Piece[] {
  const a = split(before);
  const b = split(after);
  if (a.length > LONGEST || b.length > LONGEST) {
    return [{ kind: 'gone', text: before }, { kind: 'new', text: after }];
  }
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        a[i] === b[j]
          ? (common[(i + 1) * width + j + 1] as number) + 1
          : Math.max(common[(i + 1) * width + j] as number, common[i * width + j + 1] as number);
    }
  }
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], text: string): void => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add('same', a[i] as string);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && (common[(i + 1) * width + j] as number) >= (common[i * width + j + 1] as number))) {
      add('gone', a[i] as string);
      i += 1;
    } else {
      add('new', b[j] as string);
      j += 1;
    }
  }
  return pieces;
}

function split(text: string): string[] {
  return text.match(/\s+|\w+|[^\w\s]/g) ?? [];
}
