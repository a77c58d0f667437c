import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../../../dist/program');
/** Bundles with a code cache, and the number of their files. */
const BUNDLES = { exec: 2, gateway: 2, interactive: 1, 'mcp-server': 2, 'run-interactive': 2 };

test.each(Object.entries(BUNDLES))('V8 accepts the code cache of every file of %s', (bundle, files) => {
  const folder = join(PROGRAM, bundle);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.cache'));
  expect(names).toHaveLength(files);
  // In a process of its own, as at a start: V8 refuses the cache under other flags, which this process may have.
  const script = `
    const { readFileSync } = require('node:fs');
    const { wrap } = require('node:module');
    const { Script } = require('node:vm');
    for (const cache of process.argv.slice(1)) {
      const filename = cache.slice(0, -'.cache'.length);
      const { cachedDataRejected } = new Script(wrap(readFileSync(filename, 'utf8')), { filename, cachedData: readFileSync(cache) });
      if (cachedDataRejected) console.log(filename);
    }`;
  const paths = names.map((name) => join(folder, name));
  expect(execFileSync(process.execPath, ['-e', script, ...paths], { encoding: 'utf8', env: {} })).toBe('');
});

test('every file of the program is ASCII, as it is read', () => {
  const names = readdirSync(PROGRAM, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => readFileSync(join(PROGRAM, name)).some((byte) => byte > 127))).toEqual([]);
});
