import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PATH } from '../environment/test-environment.ts';
import { createTestRepository, type TestRepository } from '../git/test-repository.ts';
import { type FileIndex, openFileIndex } from './file-index.ts';

let repository: TestRepository;
let folder = '';
const open: FileIndex[] = [];
beforeEach(() => {
  repository = createTestRepository();
  folder = mkdtempSync(join(tmpdir(), 'oxbow-index-'));
});
afterEach(() => {
  for (const index of open.splice(0)) index.close();
  repository.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens an index whose listings can be waited for. */
function list(cwd: string, path = PATH) {
  const listings: string[][] = [];
  const waiting: (() => void)[] = [];
  let isDone = false;
  const index = openFileIndex({
    cwd,
    git: async () => ({ env: { ...repository.env, PATH: path }, untrustedFolders: [cwd] }),
    onBegin: () => listings.push([]),
    onNames: (names) => listings.at(-1)?.push(...names),
    onDone: () => {
      isDone = true;
      for (const done of waiting.splice(0)) done();
    },
  });
  open.push(index);
  const next = async () => {
    if (!isDone) await new Promise<void>((resolve) => waiting.push(resolve));
    isDone = false;
    return (listings.at(-1) ?? []).sort((one, two) => one.localeCompare(two));
  };
  return { index, listings, next };
}

const put = (root: string, name: string, text = '') => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
};

test('files of a repository: tracked ones and new ones that are not ignored', async () => {
  repository.write('.gitignore', 'out/\n');
  repository.write('a ä.ts', '');
  repository.commit('one');
  put(repository.root, 'sub/new.ts');
  put(repository.root, 'out/built.js');
  expect(await list(repository.root).next()).toEqual(['.gitignore', 'a ä.ts', 'sub/new.ts']);
  // Below the root the paths are those below the folder.
  expect(await list(join(repository.root, 'sub')).next()).toEqual(['new.ts']);
});

test('a hostile repository runs nothing', async () => {
  repository.write('a.ts', '');
  repository.commit('one');
  put(repository.root, 'hook.sh', '#!/bin/sh\ntouch "$0.ran"\n');
  chmodSync(join(repository.root, 'hook.sh'), 0o755);
  repository.git('config', 'core.fsmonitor', join(repository.root, 'hook.sh'));
  expect(await list(repository.root).next()).toEqual(['a.ts', 'hook.sh']);
  expect(existsSync(join(repository.root, 'hook.sh.ran'))).toBe(false);
});

test('a refresh lists again only if the index changed', async () => {
  repository.write('a.ts', '');
  repository.commit('one');
  const { index, listings, next } = list(repository.root);
  expect(await next()).toEqual(['a.ts']);
  put(repository.root, 'b.ts');
  index.refresh();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(listings).toHaveLength(1);
  repository.git('add', '.');
  const later = Date.now() / 1000 + 10;
  utimesSync(join(repository.root, '.git/index'), later, later);
  index.refresh();
  expect(await next()).toEqual(['a.ts', 'b.ts']);
  expect(listings).toHaveLength(2);
});

test.each([
  ['where there is no repository', PATH],
  ['where there is no git', '/nowhere'],
])('a walk %s', async (_, path) => {
  put(folder, '.gitignore', '*.log\n/out/\n');
  put(folder, 'a.ts');
  put(folder, 'a.log');
  put(folder, 'out/b.js');
  put(folder, 'node_modules/x/index.js');
  put(folder, 'sub/.ignore', '!keep.log\nsecret\n');
  put(folder, 'sub/keep.log');
  put(folder, 'sub/secret');
  put(folder, 'sub/out/c.ts');
  symlinkSync(folder, join(folder, 'sub/loop'));
  expect(await list(folder, path).next()).toEqual([
    '.gitignore',
    'a.ts',
    'sub/.ignore',
    'sub/keep.log',
    'sub/loop',
    'sub/out/c.ts',
  ]);
});

test('a closed index says nothing', async () => {
  repository.write('a.ts', '');
  const { index, listings } = list(repository.root);
  index.close();
  index.refresh();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(listings).toEqual([]);
});
