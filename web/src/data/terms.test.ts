import { expect, test } from 'vitest';
import { linker } from './terms.ts';

test('the longest term is linked, whole words only, and none in its own definition', () => {
  const linked = linker([['policy'], ['KL divergence', 'KL'], ['reward model', 'rm'], ['reward']]);

  expect(linked('The kl of a policy whose reward model has norms.', 'policy')).toEqual([
    { text: 'The ', word: null },
    { text: 'kl', word: 'KL divergence' },
    { text: ' of a ', word: null },
    { text: 'policy', word: null },
    { text: ' whose ', word: null },
    { text: 'reward model', word: 'reward model' },
    { text: ' has norms.', word: null },
  ]);
});
