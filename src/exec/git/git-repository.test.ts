import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { differsFrom, findCommit, findHead, findRepository, hasChanges } from './git-repository.ts';
import { createTestRepository, type TestRepository } from './test-repository.ts';

let repository: TestRepository;

beforeEach(() => {
  repository = createTestRepository();
});
afterEach(() => repository.dispose());

const here = () => ({ cwd: repository.root, env: repository.env, untrustedFolders: [] });

describe('the repository of a folder', () => {
  test('is found from the top and from below', async () => {
    const { root } = repository;
    repository.write('a/b\nc/d.txt', 'd');
    expect(await findRepository(here())).toEqual({ root, prefix: '' });
    expect(await findRepository({ ...here(), cwd: join(root, 'a/b\nc') })).toEqual({ root, prefix: 'a/b\nc/' });
  });

  test('is found through a link', async () => {
    repository.write('a/b.txt', 'b');
    const link = join(repository.folder, 'link');
    symlinkSync(repository.root, link);
    const found = await findRepository({ ...here(), cwd: join(link, 'a') });
    expect(found).toEqual({ root: repository.root, prefix: 'a/' });
  });

  test('is reported missing in a sentence', async () => {
    const cwd = repository.folder;
    await expect(findRepository({ ...here(), cwd })).rejects.toThrow(
      new UserError('not_found', `${cwd} is not in a git repository.`),
    );
  });

  test('has working files', async () => {
    const cwd = join(repository.root, '.git');
    await expect(findRepository({ ...here(), cwd })).rejects.toThrow('this operation must be run in a work tree');
  });
});

describe('a commit', () => {
  test('is found by branch, tag, beginning of its id and relation', async () => {
    const first = repository.commit('First');
    repository.git('tag', '-a', '-m', 'One', 'one');
    const second = repository.commit('Second');
    repository.git('branch', 'topic');
    expect(await findHead(here())).toBe(second);
    expect(await findCommit('topic', here())).toBe(second);
    expect(await findCommit('one', here())).toBe(first);
    expect(await findCommit(first.slice(0, 10), here())).toBe(first);
    expect(await findCommit('HEAD~1', here())).toBe(first);
  });

  test.each(['', 'nothing', '--all', '-h', '^main', 'main..main', 'main:a.txt', 'main main', 'ma\0in', 'f'.repeat(40)])(
    'is not found by %j',
    async (name) => {
      repository.write('a.txt', 'a');
      repository.commit('First');
      expect(await findCommit(name, here())).toBeUndefined();
    },
  );

  test('is missing in a new repository', async () => {
    await expect(findHead(here())).rejects.toThrow(
      new UserError('not_found', `The git repository ${repository.root} has no commits yet. Make one first.`),
    );
  });
});

describe('changes', () => {
  beforeEach(() => {
    repository.write('a.txt', 'a\n');
    repository.write('.gitignore', 'ignored/\n');
    repository.commit('First');
    repository.git('config', 'status.showUntrackedFiles', 'no');
  });

  test.each<[string, boolean, () => void]>([
    ['nothing', false, () => {}],
    ['an ignored file', false, () => repository.write('ignored/b.txt', 'b')],
    ['an empty folder', false, () => mkdirSync(join(repository.root, 'empty'))],
    ['a file written anew with the same content', false, () => repository.write('a.txt', 'a\n')],
    ['an edit', true, () => repository.write('a.txt', 'b\n')],
    ['a new file', true, () => repository.write('new/b.txt', 'b')],
    ['a deleted file', true, () => rmSync(join(repository.root, 'a.txt'))],
    [
      'a staged edit that was undone since',
      true,
      () => {
        repository.write('a.txt', 'b\n');
        repository.git('add', 'a.txt');
        repository.write('a.txt', 'a\n');
      },
    ],
  ])('%s: %s', async (_, expected, change) => {
    change();
    expect(await hasChanges(here())).toBe(expected);
  });

  test('are seen in a repository without commits', async () => {
    const empty = createTestRepository();
    try {
      expect(await hasChanges({ cwd: empty.root, env: empty.env, untrustedFolders: [] })).toBe(false);
      writeFileSync(join(empty.root, 'a.txt'), 'a');
      expect(await hasChanges({ cwd: empty.root, env: empty.env, untrustedFolders: [] })).toBe(true);
    } finally {
      empty.dispose();
    }
  });

  test('against a commit are later commits and changes of tracked files', async () => {
    const first = await findHead(here());
    expect(await differsFrom(first, here())).toBe(false);
    repository.write('a.txt', 'b\n');
    expect(await differsFrom(first, here())).toBe(true);
    const second = repository.commit('Second');
    expect(await differsFrom(first, here())).toBe(true);
    expect(await differsFrom(second, here())).toBe(false);
    await expect(differsFrom('nothing', here())).rejects.toThrow(UserError);
  });
});
