import { expect, test } from 'vitest';
import { extend, settled, unpack } from './packed.ts';

function pack(
  series: { name: string; raw: boolean; columns: Record<string, number[]> }[],
): ArrayBuffer {
  const parts: Uint8Array[] = [];
  let offset = 0;
  const header = {
    series: series.map((one) => ({
      name: one.name,
      raw: one.raw,
      count: one.columns['x']?.length ?? 0,
      nonfinite: [],
      arrays: Object.entries(one.columns).map(([key, values]) => {
        const array = key === 'x' ? Float64Array.from(values) : Float32Array.from(values);
        const padded = new Uint8Array(Math.ceil(array.byteLength / 8) * 8);
        padded.set(new Uint8Array(array.buffer));
        const entry = { key, dtype: key === 'x' ? 'f8' : 'f4', offset, length: values.length };
        parts.push(padded);
        offset += padded.length;
        return entry;
      }),
    })),
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((8 + text.length) / 8) * 8;
  const all = new Uint8Array(start + offset);
  all.set(new TextEncoder().encode('RVS1'));
  new DataView(all.buffer).setUint32(4, text.length, true);
  all.set(text, 8);
  let at = start;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.buffer;
}

test('reads raw points and buckets from one answer', () => {
  const [raw, buckets] = unpack(
    pack([
      { name: 'a', raw: true, columns: { x: [1, 2, 3], value: [0.5, 1, 1.5] } },
      { name: 'b', raw: false, columns: { x: [1, 9], low: [0, 1], high: [4, 5], mean: [2, 3], first: [0, 1], last: [4, 5] } },
    ]),
  );

  expect([...(raw?.x ?? [])]).toEqual([1, 2, 3]);
  expect([...(raw?.high ?? [])]).toEqual([0.5, 1, 1.5]);
  expect([...(buckets?.low ?? [])]).toEqual([0, 1]);
  expect([...(buckets?.high ?? [])]).toEqual([4, 5]);
});

test('refuses what is not a series', () => {
  expect(() => unpack(new TextEncoder().encode('{"detail":1}').buffer as ArrayBuffer)).toThrow();
});

test('new points replace the last, which may have come in parts', () => {
  const [older] = unpack(pack([{ name: 'a', raw: true, columns: { x: [1, 2, 3], value: [1, 2, 3] } }]));
  const [newer] = unpack(pack([{ name: 'a', raw: true, columns: { x: [2, 3, 4], value: [2, 30, 40] } }]));

  const joined = extend(older!, newer!, settled(older!)!);

  expect([...joined.x]).toEqual([1, 2, 3, 4]);
  expect([...joined.mean]).toEqual([1, 2, 30, 40]);
});

test('a spike in a whole bucket outlives new points', () => {
  const columns = { x: [1, 3, 5], low: [0, 0, 0], high: [1, 99, 1], mean: [0, 1, 0], first: [0, 0, 0], last: [0, 0, 0] };
  const [older] = unpack(pack([{ name: 'a', raw: false, columns }]));
  const [newer] = unpack(pack([{ name: 'a', raw: true, columns: { x: [2.9, 4, 5, 6], value: [7, 7, 7, 7] } }]));

  const joined = extend(older!, newer!, settled(older!)!);

  expect([...joined.x]).toEqual([1, 3, 4, 5, 6]);
  expect([...joined.high]).toEqual([1, 99, 7, 7, 7]);
});
