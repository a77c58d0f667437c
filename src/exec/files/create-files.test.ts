import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createFiles } from './create-files.ts';
import { makePipe, makeTree, UNCONFINED, workspaceOf } from './test-tree.ts';

const env = { PATH: process.env.PATH };
const files = createFiles(UNCONFINED, { env });

describe('locate', () => {
  test('returns the path without links, as far as it exists', async () => {
    const root = makeTree({ 'real/file.txt': '' });
    symlinkSync('real', join(root, 'link'));
    symlinkSync('link/file.txt', join(root, 'second'));
    expect(await files.locate(join(root, 'second'))).toBe(join(root, 'real/file.txt'));
    expect(await files.locate(join(root, 'link/new/deep.txt'))).toBe(join(root, 'real/new/deep.txt'));
    expect(await files.locate(join(root, 'real/file.txt/below'))).toBe(join(root, 'real/file.txt/below'));
    expect(await files.locate('/')).toBe('/');
  });

  test('follows a link to a missing target', async () => {
    const root = makeTree();
    const other = makeTree();
    symlinkSync(join(other, 'new/file.txt'), join(root, 'dangling'));
    symlinkSync('dangling', join(root, 'twice'));
    expect(await files.locate(join(root, 'twice'))).toBe(join(other, 'new/file.txt'));
    expect(await files.locate(join(root, 'twice/below'))).toBe(join(other, 'new/file.txt/below'));
  });

  test('rejects a circle of links', async () => {
    const root = makeTree();
    symlinkSync('b', join(root, 'a'));
    symlinkSync('a', join(root, 'b'));
    await expect(files.locate(join(root, 'a'))).rejects.toMatchObject({ code: 'ELOOP' });
  });
});

describe('read', () => {
  test('returns the bytes of a file, even through links and of files of the kernel', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0x0d, 0x0a]);
    const root = makeTree({ file: bytes, large: Buffer.alloc(3 * 1024 * 1024 + 1, 7) });
    symlinkSync('file', join(root, 'link'));
    expect(await files.read(join(root, 'link'))).toEqual(bytes);
    expect((await files.read(join(root, 'large'))).length).toBe(3 * 1024 * 1024 + 1);
    expect(Buffer.from(await files.read('/proc/self/status')).toString()).toContain('Name:');
  });

  test('rejects anything but a file, without waiting for it', async () => {
    const root = makeTree();
    makePipe(join(root, 'pipe'));
    await expect(files.read(join(root, 'pipe'))).rejects.toMatchObject({ code: 'EINVAL' });
    await expect(files.read('/dev/zero')).rejects.toMatchObject({ code: 'EINVAL' });
    await expect(files.read(root)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(files.read(join(root, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('rejects a file that is too large, and says how large it may be', async () => {
    const root = makeTree({ huge: '' });
    truncateSync(join(root, 'huge'), 256 * 1024 * 1024 + 1);
    await expect(files.read(join(root, 'huge'))).rejects.toThrow(/EFBIG: it is larger than 256 MB/);
  });

  test('rejects an unreadable path, even through a link', async () => {
    const root = makeTree({ 'secret/key': 'x', 'secretary/notes': 'y' });
    symlinkSync('secret', join(root, 'innocent'));
    const guarded = createFiles({ ...UNCONFINED, denyRead: [join(root, 'secret')] }, { env });
    for (const name of ['secret/key', 'innocent/key', 'secret/missing', 'secret']) {
      await expect(guarded.read(join(root, name))).rejects.toMatchObject({ code: 'EACCES' });
    }
    expect(Buffer.from(await guarded.read(join(root, 'secretary/notes'))).toString()).toBe('y');
  });
});

describe('isInGit', () => {
  const git = (root: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: root, stdio: 'pipe' });

  function makeRepository(content: Record<string, string>): string {
    const root = makeTree(content);
    git(root, 'init', '--quiet');
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '--message', 'first');
    return root;
  }

  test('reports whether git could restore a file', async () => {
    const root = makeRepository({ 'kept.txt': 'a', 'changed.txt': 'a', 'sub/[x]*.txt': 'a', '-dash': 'a' });
    writeFileSync(join(root, 'changed.txt'), 'b');
    writeFileSync(join(root, 'new.txt'), 'b');
    writeFileSync(join(root, 'staged.txt'), 'b');
    git(root, 'add', 'staged.txt');
    const answers = Object.fromEntries(
      await Promise.all(
        ['kept.txt', 'sub/[x]*.txt', '-dash', 'staged.txt', 'changed.txt', 'new.txt', 'gone', 'sub', '.git/config'].map(
          async (name) => [name, await files.isInGit(join(root, name))],
        ),
      ),
    );
    expect(answers).toEqual({
      'kept.txt': true,
      'sub/[x]*.txt': true,
      '-dash': true,
      'staged.txt': true,
      'changed.txt': false,
      'new.txt': false,
      gone: false,
      sub: false,
      '.git/config': false,
    });
    expect(await files.isInGit(join(makeTree({ file: 'a' }), 'file'))).toBe(false);
  });

  test('is not misled by an index that names a missing object', async () => {
    const root = makeRepository({ a: 'a' });
    writeFileSync(join(root, 'b'), 'never stored');
    const id = git(root, 'hash-object', 'b').toString().trim();
    git(root, 'update-index', '--add', '--cacheinfo', `100644,${id},b`);
    expect(git(root, 'status', '--porcelain', '-z', 'b').toString()).not.toContain('??');
    expect(await files.isInGit(join(root, 'b'))).toBe(false);
  });

  test('runs no program that the repository configures', async () => {
    const root = makeRepository({ 'a.txt': 'a' });
    const trace = join(makeTree(), 'ran');
    const script = join(root, 'evil.sh');
    writeFileSync(script, `#!/bin/sh\necho ran >> '${trace}'\ncat\n`, { mode: 0o755 });
    writeFileSync(join(root, '.gitattributes'), '* filter=evil diff=evil\n');
    const settings = {
      'filter.evil.clean': script,
      'filter.evil.smudge': script,
      'filter.evil.process': script,
      'diff.evil.textconv': script,
      'core.fsmonitor': script,
      'core.sshCommand': script,
      'core.pager': script,
      'core.hooksPath': root,
      'remote.origin.url': 'ssh://nowhere/x',
      'remote.origin.promisor': 'true',
      'extensions.partialClone': 'origin',
    };
    for (const [name, value] of Object.entries(settings)) git(root, 'config', name, value);
    git(root, 'config', 'core.repositoryFormatVersion', '1');
    writeFileSync(join(root, 'b'), 'never stored');
    const id = git(root, 'hash-object', '--no-filters', 'b').toString().trim();
    git(root, '-c', 'core.fsmonitor=false', 'update-index', '--add', '--cacheinfo', `100644,${id},b`);
    execFileSync('rm', ['-f', trace]);

    expect(await files.isInGit(join(root, 'a.txt'))).toBe(true);
    expect(await files.isInGit(join(root, 'b'))).toBe(false);
    expect(await files.read(trace).catch((error) => error.code)).toBe('ENOENT');
  });
});

test('git does not read an unreadable folder either', async () => {
  const root = makeTree({ 'a/b': '' });
  const guarded = createFiles({ ...workspaceOf(root), denyRead: [join(root, 'a')] }, { env });
  expect(await guarded.isInGit(join(root, 'a/b'))).toBe(false);
});

test('reading does not follow a file that is swapped for a link to an unreadable path', async () => {
  const root = makeTree({ 'secret/key': 'the secret', 'plain/key': 'plain' });
  mkdirSync(join(root, 'work'));
  const guarded = createFiles({ ...UNCONFINED, denyRead: [join(root, 'secret')] }, { env });
  const script = 'while true; do ln -sfn ../plain work/d; ln -sfn ../secret work/d; done';
  const swapper = spawn('bash', ['-c', script], { cwd: root, stdio: 'ignore', detached: true });
  try {
    const seen = new Set<string>();
    for (let n = 0; n < 3000; n++) {
      const read = await guarded.read(join(root, 'work/d/key')).then(String, (error) => String(error.code));
      seen.add(read);
    }
    expect(seen).not.toContain('the secret');
  } finally {
    // Kills the whole group: a last `ln` would add an entry to the folder while it is removed.
    process.kill(-(swapper.pid ?? 0), 'SIGKILL');
    await once(swapper, 'close');
  }
});
