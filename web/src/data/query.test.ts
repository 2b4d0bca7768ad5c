import { expect, test } from 'vitest';
import { compile, quantity, quoted, understand, words, type Scalar } from './query.ts';

const fields: Record<string, Scalar | Scalar[]> = {
  lr: 3e-4,
  verdict: 'not learning',
  tag: ['baseline', 'old'],
  steps: 120000,
  rate: 0.009999999776482582,
  'eval/mean_reward': 240,
  'eval/mean_reward:last': 10,
  count: 16777217,
  target_kl: null,
};
const run = { text: 'cartpole/ppo-seed3\nfinished', field: (name: string) => fields[name] };

test.each([
  ['', true],
  ['cartpole', true],
  ['CARTPOLE seed3', true],
  ['seed[0-3]$', true],
  ['acrobot', false],
  ['-acrobot', true],
  ['-cartpole', false],
  ['lr>1e-4', true],
  ['lr>1e-3', false],
  ['lr<=3e-4', true],
  ['steps>100k', true],
  ['rate=0.01', true],
  ['rate>=0.01', true],
  ['rate<0.01', false],
  ['rate<=0.01', true],
  ['rate!=0.01', false],
  ['rate=0.02|0.01', true],
  ['rate=0.010001', false],
  ['count=16777216', false],
  ['count>16777216', true],
  ['eval/mean_reward>200', true],
  ['eval/mean_reward:last>200', false],
  ['verdict="not learning"', true],
  ['verdict=learning', false],
  ['verdict!=learning', true],
  ['verdict~not', true],
  ['tag=old', true],
  ['tag!=old', false],
  ['-tag=old', false],
  ['target_kl<1', false],
  ['target_kl=none', true],
  ['verdict="not learning"|collapsed', true],
  ['verdict=learned|collapsed', false],
  ['unknown>1', false],
  ['unknown!=1', true],
  ['seed(', false],
  ['lr>', false],
])('%s: %s', (query, expected) => {
  expect(compile(query)(run)).toBe(expected);
});

test.each([
  ['1e-4', 1e-4],
  ['50k', 5e4],
  ['2M', 2e6],
  ['10min', 600],
  ['2h', 7200],
])('%s is %s', (text, value) => {
  expect(quantity(text)).toBe(value);
});

test.each([
  ['[a steps>1', ['“[a” is not a regular expression (unterminated character class); it is searched for as it stands']],
  ['name~(', ['“(” is not a regular expression (unterminated group); it is searched for as it stands']],
  ['lr>fast', ['“fast” is not a number to compare with']],
  ['a|b lr>1e-4', []],
])('%s is told what is wrong', (query, problems) => {
  expect(understand(query).problems).toEqual(problems);
});

test('the fields of a query are known, and its words can be put together again', () => {
  const query = 'ppo verdict="not learning" lr>1';

  expect(understand(query).fields).toEqual(['verdict', 'lr']);
  expect(words(query).map(quoted).map((word) => words(word)[0])).toEqual(['ppo', 'verdict=not learning', 'lr>1']);
});
