import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { wrap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadCached } from './load-cached.ts';

const SOURCE = `const { basename } = require('node:path');
exports.name = basename(__filename);
exports.double = (n) => 2 * n;`;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cached-'));
  file = join(folder, 'part.cjs');
  writeFileSync(file, SOURCE);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function check(): void {
  const loaded = loadCached(file) as { name: string; double(n: number): number };
  expect(loaded.name).toBe('part.cjs');
  expect(loaded.double(21)).toBe(42);
}

test('a file without a cache is required', check);

test('a file with its cache runs from that', () => {
  writeFileSync(`${file}.cache`, new Script(wrap(SOURCE)).createCachedData());
  check();
});

test('the code runs from the cache, not from the source', () => {
  // V8 compares no more of the source than its length.
  writeFileSync(file, `exports.from = 'source';`);
  writeFileSync(`${file}.cache`, new Script(wrap(`exports.from = 'cached';`)).createCachedData());
  expect(loadCached(file)).toEqual({ from: 'cached' });
});

test.each([
  ['', Buffer.alloc(0)],
  ['garbage', Buffer.alloc(5000, 'x')],
])('a file that is not a cache does no harm: %s', (_, bytes) => {
  writeFileSync(`${file}.cache`, bytes);
  check();
});
