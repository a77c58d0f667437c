import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from './doc-pages.ts';

function checkPages(cwd: string) {
  const args = [join(REPOSITORY, 'scripts/write-api.mjs'), '--check'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, stderr };
}

test('the pages in docs/api have the public types as they are', () => {
  expect(checkPages(REPOSITORY)).toEqual({ status: 0, stderr: '' });
});

test('each page in docs/api is linked from the list of pages', () => {
  const list = readFileSync(join(REPOSITORY, 'docs/README.md'), 'utf8');
  const pages = readdirSync(join(REPOSITORY, 'docs/api'));
  expect(pages.filter((name) => !list.includes(`(api/${name})`))).toEqual([]);
});

test('a change of the public types without its page is an error that says what to do', () => {
  const copy = mkdtempSync(join(tmpdir(), 'oxbow-api-'));
  try {
    // A package with this entry only: reading the types of all entries takes seconds.
    const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
    const exports = { './gateway': manifest.exports['./gateway'] };
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, exports }));
    for (const name of ['docs/api/gateway.md', 'dist/gateway.d.ts']) cpSync(join(REPOSITORY, name), join(copy, name));
    const path = join(copy, 'dist/gateway.d.ts');
    writeFileSync(path, `${readFileSync(path, 'utf8')}\nexport declare function added(): void;\n`);
    expect(checkPages(copy)).toEqual({
      status: 1,
      stderr: 'gateway.md in docs/api does not match the types: run `npm run docs:api`.\n',
    });
  } finally {
    rmSync(copy, { recursive: true });
  }
});
