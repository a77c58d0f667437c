import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../../dist/program/exec');

test('V8 accepts the code cache of every file of exec', () => {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.cache'));
  expect(names).toHaveLength(2);
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
  const paths = names.map((name) => join(FOLDER, name));
  expect(execFileSync(process.execPath, ['-e', script, ...paths], { encoding: 'utf8', env: {} })).toBe('');
});
