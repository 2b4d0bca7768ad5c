/** Leaves `x.js.br` and `x.js.gz` beside each built `x.js`: the server need not compress what never changes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const BUILT = join(import.meta.dirname, '../src/runvitals/server/static');
const SMALL = 1000; // bytes that are not worth it

for (const name of readdirSync(BUILT, { recursive: true })) {
  if (!/\.(js|css|html|svg)$/.test(name)) continue;
  const content = readFileSync(join(BUILT, name));
  if (content.length < SMALL) continue;
  writeFileSync(join(BUILT, `${name}.br`), brotliCompressSync(content));
  writeFileSync(join(BUILT, `${name}.gz`), gzipSync(content, { level: 9 }));
}
