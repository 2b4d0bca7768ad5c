import { expect, test } from 'vitest';
import { csv } from './csv.ts';

test('quotes what needs it and disarms formulas', () => {
  expect(csv(['step', 'a,b'], [[1, null], [2, '=1+1'], [-3, 'say "hi"']])).toBe(
    'step,"a,b"\r\n1,\r\n2,\'=1+1\r\n-3,"say ""hi"""\r\n',
  );
});
