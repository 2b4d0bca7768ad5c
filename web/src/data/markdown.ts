/** The little Markdown of the rule book as pieces that a page shows as text: paragraphs, lists, code. */

export interface Inline {
  kind: 'text' | 'code' | 'strong';
  text: string;
}

export interface Block {
  kind: 'paragraph' | 'bullets' | 'numbered' | 'code';
  lines: Inline[][];
}

export function blocks(text: string): Block[] {
  return text
    .trim()
    .split(/\n\s*\n/)
    .filter(Boolean)
    .map(block);
}

function block(text: string): Block {
  const lines = text.split('\n');
  if (lines.every((line) => line.startsWith('    ')) || text.startsWith('```')) {
    const code = lines.filter((line) => !line.startsWith('```')).map((line) => line.replace(/^ {4}/, ''));
    return { kind: 'code', lines: [[{ kind: 'code', text: code.join('\n') }]] };
  }
  if (/^\s*([-*]|\d+\.) /.test(text)) {
    const items: string[] = [];
    for (const line of lines) {
      if (/^\s*([-*]|\d+\.) /.test(line)) items.push(line.replace(/^\s*([-*]|\d+\.) /, ''));
      else items.push(`${items.pop() ?? ''} ${line.trim()}`);
    }
    return { kind: /^\s*\d/.test(text) ? 'numbered' : 'bullets', lines: items.map(inline) };
  }
  return { kind: 'paragraph', lines: [inline(lines.map((line) => line.trim()).join(' '))] };
}

export function inline(text: string): Inline[] {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .filter(Boolean)
    .map((part) => {
      if (part.startsWith('`') && part.endsWith('`') && part.length > 2) return { kind: 'code', text: part.slice(1, -1) };
      if (part.startsWith('**') && part.endsWith('**') && part.length > 4) return { kind: 'strong', text: part.slice(2, -2) };
      return { kind: 'text', text: part };
    });
}
