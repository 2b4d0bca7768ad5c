import { expect, test } from 'vitest';
import { embedded, type Said } from './embedded.ts';

interface Given {
  name: string;
  x: number[];
  time: number[];
  value: number[];
  nonfinite?: number[];
  raw?: boolean;
}

function pack(series: Given[]): ArrayBuffer {
  const parts: Uint8Array[] = [];
  let size = 0;
  const put = (key: string, values: Float64Array | Float32Array): object => {
    const bytes = new Uint8Array(Math.ceil(values.byteLength / 8) * 8);
    bytes.set(new Uint8Array(values.buffer));
    const entry = { key, dtype: key === 'x' ? 'float64' : 'float32', offset: size, length: values.length };
    parts.push(bytes);
    size += bytes.length;
    return entry;
  };
  const headers = series.map(({ name, x, time, value, nonfinite = [], raw = true }) => ({
    name,
    count: x.length,
    raw,
    nonfinite,
    arrays: [put('x', Float64Array.from(x)), put('time', Float32Array.from(time)), put(raw ? 'value' : 'mean', Float32Array.from(value))],
  }));
  let header = JSON.stringify({ series: headers });
  header += ' '.repeat((8 - ((8 + header.length) % 8)) % 8);
  const whole = new Uint8Array(8 + header.length + size);
  whole.set(new TextEncoder().encode('RVS1'));
  new DataView(whole.buffer).setUint32(4, header.length, true);
  whole.set(new TextEncoder().encode(header), 8);
  let at = 8 + header.length;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.buffer;
}

const said: Said = {
  run: 'abc',
  made: 0,
  version: '1',
  start: 1000,
  answers: { 'runs/abc': { name: 'mine', charts: [{ names: [{ key: 'coarse', last: 9 }] }] }, 'runs/abc/histograms?name=a/b c': { total: 3 }, 'metrics/policy/kl': { id: 'policy/kl' } },
};
const source = embedded(
  said,
  pack([
    { name: 'loss', x: [0, 10, 20, 30], time: [1, 3, 2, Number.NaN], value: [5, 6, 7, 8], nonfinite: [10] },
    { name: 'tokens', x: [0, 30], time: [1, 4], value: [0, 300] },
    { name: 'coarse', x: [5, 25], time: [1, 2], value: [3, 4], raw: false },
  ]),
);
const all = { run: 'abc', from: null, to: null, buckets: 600 };

test('answers are found by the path that a server would be asked for', async () => {
  expect(await source.json('runs/abc', {})).toMatchObject({ name: 'mine' });
  expect(await source.json('runs/abc/histograms', { name: 'a/b c' })).toEqual({ total: 3 });
  expect(await source.json('metrics/policy%2Fkl', {})).toEqual({ id: 'policy/kl' });
  await expect(source.json('rules/KL001', {})).rejects.toThrow('does not say more');
});

test('points lie over steps, and a range of them has one more on each side', async () => {
  const [loss] = await source.series({ ...all, x: 'step', from: 12, to: 18 }, ['loss']);

  expect([...(loss?.x ?? [])]).toEqual([10, 20]);
  expect([...(loss?.mean ?? [])]).toEqual([6, 7]);
});

test('over time they are in its order, without those whose time nobody knows', async () => {
  const [loss] = await source.series({ ...all, x: 'time' }, ['loss']);
  const [since] = await source.series({ ...all, x: 'relative' }, ['loss']);

  expect([...(loss?.x ?? [])]).toEqual([1001, 1002, 1003]);
  expect([...(loss?.mean ?? [])]).toEqual([5, 7, 6]);
  expect(loss?.nonfinite).toEqual([1003]);
  expect([...(since?.x ?? [])]).toEqual([1, 2, 3]);
});

test('another series can be the axis', async () => {
  const [loss] = await source.series({ ...all, x: 'tokens' }, ['loss']);

  expect([...(loss?.x ?? [])]).toEqual([0, 100, 200, 300]);
});

test('a series that is not there is an error that says so', async () => {
  await expect(source.series({ ...all, x: 'step' }, ['gone'])).rejects.toThrow('no series gone');
});

test('the last value is that of the run, not of its last bucket', async () => {
  const [coarse] = await source.series({ ...all, x: 'step' }, ['coarse']);

  expect(coarse?.last.at(-1)).toBe(9);
  expect([...(coarse?.mean ?? [])]).toEqual([3, 4]);
});
