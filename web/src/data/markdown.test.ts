import { expect, test } from 'vitest';
import { blocks } from './markdown.ts';

test('paragraphs, lists and code', () => {
  expect(blocks('Look at `policy/kl`\nfirst.\n\n- one\n  goes on\n- **two**\n\n    x = 1')).toEqual([
    { kind: 'paragraph', lines: [[{ kind: 'text', text: 'Look at ' }, { kind: 'code', text: 'policy/kl' }, { kind: 'text', text: ' first.' }]] },
    { kind: 'bullets', lines: [[{ kind: 'text', text: 'one goes on' }], [{ kind: 'strong', text: 'two' }]] },
    { kind: 'code', lines: [[{ kind: 'code', text: 'x = 1' }]] },
  ]);
  expect(blocks('1. one\n2. two').map((block) => block.kind)).toEqual(['numbered']);
});
