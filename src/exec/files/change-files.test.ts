import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileChange } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import { createFiles } from './create-files.ts';
import { makePipe, makeTree, readTree, UNCONFINED, workspaceOf } from './test-tree.ts';

const env = {};
const files = createFiles(UNCONFINED, { env });
const change = (...changes: FileChange[]) => files.change(changes, { sandboxed: false });
const isRoot = process.geteuid?.() === 0;

describe('a change', () => {
  test('adds, updates, moves and deletes files in one go', async () => {
    const root = makeTree({ update: 'a', move: 'b', 'sub/delete': 'c', 'sub/over': 'd', from: 'e', other: 'f' });
    await change(
      { path: join(root, 'new/deep/add'), before: null, after: 'added\n' },
      { path: join(root, 'update'), before: 'a', after: 'A' },
      { path: join(root, 'move'), to: join(root, 'new/moved'), before: 'b', after: 'B' },
      { path: join(root, 'sub/delete'), before: 'c', after: null },
      { path: join(root, 'from'), to: join(root, 'sub/over'), before: 'e', after: 'E' },
    );
    expect(readTree(root)).toEqual({
      'new/': '',
      'new/deep/': '',
      'new/deep/add': 'added\n',
      'new/moved': 'B',
      other: 'f',
      'sub/': '',
      'sub/over': 'E',
      update: 'A',
    });
  });

  test('overwrites a file that is added again, and moves a file to its own path', async () => {
    const root = makeTree({ a: '1', b: '2' });
    await change(
      { path: join(root, 'a'), before: '1', after: 'one' },
      { path: join(root, 'b'), to: join(root, 'b'), before: '2', after: 'two' },
    );
    expect(readTree(root)).toEqual({ a: 'one', b: 'two' });
  });

  test('writes a file below the path of a removed one', async () => {
    const root = makeTree({ a: '1', b: '2' });
    await change(
      { path: join(root, 'a'), before: '1', after: null },
      { path: join(root, 'a/inner'), before: null, after: 'x' },
      { path: join(root, 'b'), to: join(root, 'b/b'), before: '2', after: '2' },
    );
    expect(readTree(root)).toEqual({ 'a/': '', 'a/inner': 'x', 'b/': '', 'b/b': '2' });
  });

  test('keeps bytes as they are: line endings, characters, a missing end', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\r', '\n', 'ü', '😀', '\t', '\u2028') });
    const root = makeTree({ file: '' });
    let before = '';
    await fc.assert(
      fc.asyncProperty(text, async (after) => {
        await change({ path: join(root, 'file'), before, after });
        before = after;
        expect(readFileSync(join(root, 'file'))).toEqual(Buffer.from(after));
      }),
    );
    expect(Object.keys(readTree(root))).toEqual(['file']);
  });

  test('keeps a byte order mark, whether or not the text was read with it', async () => {
    const root = makeTree({ a: '\uFEFFone', b: '\uFEFFone', c: '\uFEFFone', d: 'one' });
    await change(
      { path: join(root, 'a'), before: 'one', after: 'two' },
      { path: join(root, 'b'), before: '\uFEFFone', after: '\uFEFFtwo' },
      { path: join(root, 'c'), to: join(root, 'e'), before: 'one', after: 'two' },
      { path: join(root, 'd'), before: 'one', after: 'two' },
    );
    const bytes = (name: string) => readFileSync(join(root, name), 'utf8');
    expect(['a', 'b', 'e', 'd'].map(bytes)).toEqual(['\uFEFFtwo', '\uFEFFtwo', '\uFEFFtwo', 'two']);
  });

  test('keeps the mode of a file, even of a moved one, and applies the umask to new ones', async () => {
    const root = makeTree({ script: 'a', private: 'b', plain: 'c' });
    chmodSync(join(root, 'script'), 0o755);
    chmodSync(join(root, 'private'), 0o640);
    const umask = process.umask(0o027);
    try {
      await change(
        { path: join(root, 'script'), to: join(root, 'bin/script'), before: 'a', after: 'A' },
        { path: join(root, 'private'), before: 'b', after: 'B' },
        { path: join(root, 'new'), before: null, after: 'C' },
      );
    } finally {
      process.umask(umask);
    }
    const mode = (name: string) => (statSync(join(root, name)).mode & 0o7777).toString(8);
    expect(['bin/script', 'private', 'new', 'bin'].map(mode)).toEqual(['755', '640', '640', '750']);
  });

  test('drops the setuid bit from a new text', async () => {
    const root = makeTree({ tool: 'a' });
    chmodSync(join(root, 'tool'), 0o6755);
    await change({ path: join(root, 'tool'), before: 'a', after: 'b' });
    expect((statSync(join(root, 'tool')).mode & 0o7777).toString(8)).toBe('755');
  });

  test.runIf(isRoot)('keeps the owner of a file', async () => {
    const root = makeTree({ theirs: 'a' });
    chownSync(join(root, 'theirs'), 1234, 5678);
    await change({ path: join(root, 'theirs'), before: 'a', after: 'b' });
    expect(statSync(join(root, 'theirs'))).toMatchObject({ uid: 1234, gid: 5678 });
  });

  test('leaves the second name of a file alone', async () => {
    const root = makeTree({ a: 'old', 'other/x': '' });
    linkSync(join(root, 'a'), join(root, 'other/b'));
    await change({ path: join(root, 'a'), before: 'old', after: 'new' });
    expect(readTree(root)).toMatchObject({ a: 'new', 'other/b': 'old' });
  });

  test('removes a link, not its target', async () => {
    const root = makeTree({ target: 'x' });
    symlinkSync('target', join(root, 'link'));
    await change({ path: join(root, 'link'), before: 'x', after: null });
    expect(readTree(root)).toEqual({ target: 'x' });
  });

  test('changes 1,000 files', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => `folder-${n % 37}/file-${n}.txt`);
    const root = makeTree(Object.fromEntries(names.map((name) => [name, name])));
    await change(...names.map((name) => ({ path: join(root, name), before: name, after: `${name}!` })));
    const tree = readTree(root);
    expect(names.filter((name) => tree[name] !== `${name}!`)).toEqual([]);
    expect(Object.keys(tree)).toHaveLength(1000 + 37);
  });
});

describe('a change is refused, and nothing is touched,', () => {
  const cases: [why: string, prepare: (root: string) => void, changes: (root: string) => FileChange[], says: RegExp][] =
    [
      [
        'when a file has changed since it was read',
        (root) => writeFileSync(join(root, 'a'), 'changed'),
        (root) => [{ path: join(root, 'a'), before: 'a', after: 'A' }],
        /\/a has changed since it was read\. Nothing was changed/,
      ],
      [
        'when a file is gone',
        (root) => rmSync(join(root, 'a')),
        (root) => [{ path: join(root, 'a'), before: 'a', after: 'A' }],
        /\/a is no longer there/,
      ],
      [
        'when a file to delete is gone',
        (root) => rmSync(join(root, 'a')),
        (root) => [{ path: join(root, 'a'), before: 'a', after: null }],
        /\/a is no longer there/,
      ],
      [
        'when a file to add exists by now',
        () => {},
        (root) => [{ path: join(root, 'a'), before: null, after: 'x' }],
        /\/a is there by now/,
      ],
      [
        'when a file to move has changed',
        () => {},
        (root) => [{ path: join(root, 'a'), to: join(root, 'b'), before: 'other', after: 'x' }],
        /\/a has changed/,
      ],
      [
        'when a folder would be deleted',
        () => {},
        (root) => [{ path: join(root, 'sub'), before: '', after: null }],
        /\/sub is a folder/,
      ],
      [
        'when a folder has the new path of a file',
        () => {},
        (root) => [{ path: join(root, 'a'), to: join(root, 'sub'), before: 'a', after: 'a' }],
        /\/sub is a folder/,
      ],
      [
        'when a file has the path of a folder to make',
        () => {},
        (root) => [{ path: join(root, 'a/b'), before: null, after: 'x' }],
        /\/a\/b could not be changed: .*\/a is not a folder/,
      ],
      [
        'when a link has replaced a file',
        (root) => {
          rmSync(join(root, 'a'));
          symlinkSync('sub/z', join(root, 'a'));
        },
        (root) => [{ path: join(root, 'a'), before: 'z', after: 'x' }],
        /\/a is not a regular file/,
      ],
      [
        'when a pipe has replaced a file',
        (root) => {
          rmSync(join(root, 'a'));
          makePipe(join(root, 'a'));
        },
        (root) => [{ path: join(root, 'a'), before: '', after: 'x' }],
        /\/a is not a regular file/,
      ],
      [
        'when a path takes a detour',
        () => {},
        (root) => [{ path: `${root}/sub/../a`, before: 'a', after: 'x' }],
        /is not an absolute path without detours/,
      ],
      [
        'when two of its changes concern the same file',
        () => {},
        (root) => [
          { path: join(root, 'a'), to: join(root, 'b'), before: 'a', after: 'x' },
          { path: join(root, 'b'), before: null, after: 'x' },
        ],
        /invalid patch: multiple operations target .*\/b/,
      ],
      [
        'when a name is too long',
        () => {},
        (root) => [{ path: join(root, 'x'.repeat(300)), before: null, after: 'x' }],
        /could not be changed: name too long/,
      ],
    ];

  test.each(cases)('%s', async (_, prepare, changes, says) => {
    const root = makeTree({ a: 'a', 'sub/z': 'z', last: 'l' });
    prepare(root);
    const wanted: FileChange[] = [
      { path: join(root, 'new/first'), before: null, after: 'first' },
      ...changes(root),
      { path: join(root, 'last'), before: 'l', after: null },
    ];
    const tree = () => execFileSync('find', [root, '-printf', '%p %y %i %s %T@\n']).toString().split('\n').sort();
    const before = tree().filter((line) => !line.includes(' d '));
    const failure = await change(...wanted).catch((error) => error);
    expect(failure).toBeInstanceOf(ToolFailure);
    expect(failure.message).toMatch(says);
    expect(tree().filter((line) => !line.includes(' d '))).toEqual(before);
  });
});

describe('under a sandbox', () => {
  const add = (path: string): FileChange => ({ path, before: null, after: 'x' });

  test('only paths below the writable folders are written', async () => {
    const root = makeTree({ 'work/a': '', 'workshop/a': '' });
    const confined = createFiles(workspaceOf(join(root, 'work')), { env });
    await confined.change([add(join(root, 'work/sub/b'))], { sandboxed: true });
    for (const path of ['workshop/b', 'b']) {
      const attempt = confined.change([add(join(root, 'work/c')), add(join(root, path))], { sandboxed: true });
      await expect(attempt).rejects.toMatchObject({ kind: 'permission' });
    }
    await confined.change([add(join(root, 'b'))], { sandboxed: false });
    expect(readTree(root)).toEqual({
      b: 'x',
      'work/': '',
      'work/a': '',
      'work/sub/': '',
      'work/sub/b': 'x',
      'workshop/': '',
      'workshop/a': '',
    });
  });

  test('a read-only sandbox refuses everything', async () => {
    const root = makeTree();
    const confined = createFiles({ ...workspaceOf(root), mode: 'read-only' }, { env });
    await expect(confined.change([add(join(root, 'a'))], { sandboxed: true })).rejects.toThrow('read-only');
    expect(readTree(root)).toEqual({});
  });

  test.each([
    '.git/hooks/pre-commit',
    '.git',
    '.codex/config.toml',
    'sub/.oxbow/x',
    '.Agents/a',
    'deep/er/.GIT/config',
  ])('%s is protected', async (name) => {
    const root = makeTree();
    const confined = createFiles(workspaceOf(root), { env });
    const attempt = confined.change([add(join(root, name))], { sandboxed: true });
    await expect(attempt).rejects.toMatchObject({ kind: 'permission' });
    const move = { path: join(root, 'a'), to: join(root, name), before: 'a', after: 'a' };
    writeFileSync(join(root, 'a'), 'a');
    await expect(confined.change([move], { sandboxed: true })).rejects.toMatchObject({ kind: 'permission' });
    expect(readTree(root)).toEqual({ a: 'a' });
  });

  test('the repository that a .git file names is protected', async () => {
    const root = makeTree({ '.git': 'gitdir: store/repository\n', 'store/repository/config': '' });
    const confined = createFiles(workspaceOf(root), { env });
    const attempt = confined.change([add(join(root, 'store/repository/hooks/pre-commit'))], { sandboxed: true });
    await expect(attempt).rejects.toMatchObject({ kind: 'permission' });
  });

  test('a name that only looks protected is not', async () => {
    const root = makeTree();
    const confined = createFiles(workspaceOf(root), { env });
    await confined.change([add(join(root, '.github/x')), add(join(root, '.gitignore'))], { sandboxed: true });
    expect(Object.keys(readTree(root))).toEqual(['.github/', '.github/x', '.gitignore']);
  });

  test('an unreadable path may not be written, with or without a sandbox', async () => {
    const root = makeTree();
    const confined = createFiles({ ...workspaceOf(root), denyRead: [join(root, 'secret')] }, { env });
    for (const sandboxed of [true, false]) {
      const attempt = confined.change([add(join(root, 'secret/a'))], { sandboxed });
      await expect(attempt).rejects.toThrow('deny_read');
    }
  });

  test('a link that appears in the path is not followed', async () => {
    const root = makeTree({ 'outside/file': 'precious', 'work/x': '' });
    const confined = createFiles(workspaceOf(join(root, 'work')), { env });
    symlinkSync('../outside', join(root, 'work/sub'));
    const changes = [
      add(join(root, 'work/sub/new')),
      { path: join(root, 'work/sub/file'), before: 'precious', after: null },
    ];
    for (const one of changes) {
      await expect(confined.change([one], { sandboxed: true })).rejects.toBeInstanceOf(ToolFailure);
      await expect(confined.change([one], { sandboxed: false })).rejects.toBeInstanceOf(ToolFailure);
    }
    expect(readTree(join(root, 'outside'))).toEqual({ file: 'precious' });
  });
});

/** Root may write anywhere, so these tests become an ordinary user for a while. */
describe.runIf(isRoot)('without the right to write to a folder', () => {
  async function asNobody<T>(act: () => Promise<T>): Promise<T> {
    process.setegid?.(65534);
    process.seteuid?.(65534);
    try {
      return await act();
    } finally {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
  }

  function makeLocked(): string {
    const root = makeTree({ 'locked/open': 'old text', 'locked/closed': 'c', 'free/x': 'x' });
    chmodSync(root, 0o755);
    chmodSync(join(root, 'locked/open'), 0o666);
    chmodSync(join(root, 'free'), 0o777);
    chmodSync(join(root, 'free/x'), 0o666);
    return root;
  }

  test('a file that may be written is written in place', async () => {
    const root = makeLocked();
    const { ino } = statSync(join(root, 'locked/open'));
    await asNobody(() => change({ path: join(root, 'locked/open'), before: 'old text', after: 'new' }));
    expect(readTree(root)).toEqual({
      'free/': '',
      'free/x': 'x',
      'locked/': '',
      'locked/closed': 'c',
      'locked/open': 'new',
    });
    expect(statSync(join(root, 'locked/open')).ino).toBe(ino);
  });

  test('nothing is written when one of the files is not writable', async () => {
    const root = makeLocked();
    const before = readTree(root);
    for (const bad of [
      { path: join(root, 'locked/closed'), before: 'c', after: 'C' },
      { path: join(root, 'locked/closed'), before: 'c', after: null },
      { path: join(root, 'locked/new'), before: null, after: 'C' },
    ]) {
      const good = { path: join(root, 'locked/open'), before: 'old text', after: 'new' };
      const other = { path: join(root, 'free/x'), before: 'x', after: 'y' };
      await expect(asNobody(() => change(good, other, bad))).rejects.toThrow(/permission denied\. Nothing was changed/);
      expect(readTree(root)).toEqual(before);
    }
  });

  test('a file that is not writable is not replaced, though its folder would allow it', async () => {
    const root = makeLocked();
    writeFileSync(join(root, 'free/fixed'), 'f');
    chownSync(join(root, 'free/fixed'), 65534, 65534);
    chmodSync(join(root, 'free/fixed'), 0o444);
    const before = readTree(root);
    for (const one of [
      { path: join(root, 'free/fixed'), before: 'f', after: 'g' },
      { path: join(root, 'free/x'), to: join(root, 'free/fixed'), before: 'x', after: 'g' },
    ]) {
      await expect(asNobody(() => change(one))).rejects.toThrow('permission denied');
      expect(readTree(root)).toEqual(before);
    }
  });

  test('a file of another user keeps its owner', async () => {
    const root = makeLocked();
    await asNobody(() => change({ path: join(root, 'free/x'), before: 'x', after: 'y' }));
    expect(readTree(root)).toMatchObject({ 'free/x': 'y' });
    expect(statSync(join(root, 'free/x')).uid).toBe(0);
  });

  test('a file of another user in a folder with the sticky bit is written in place', async () => {
    const root = makeLocked();
    mkdirSync(join(root, 'sticky'));
    chmodSync(join(root, 'sticky'), 0o1777);
    writeFileSync(join(root, 'sticky/f'), 'f');
    chmodSync(join(root, 'sticky/f'), 0o666);
    await asNobody(() => change({ path: join(root, 'sticky/f'), before: 'f', after: 'longer' }));
    expect(readTree(join(root, 'sticky'))).toEqual({ f: 'longer' });
  });

  test('a sandboxed change does not write in place to a file with a second name', async () => {
    const root = makeLocked();
    linkSync(join(root, 'locked/open'), join(root, 'free/second'));
    const confined = createFiles(workspaceOf(join(root, 'locked')), { env });
    const one = { path: join(root, 'locked/open'), before: 'old text', after: 'new' };
    await expect(asNobody(() => confined.change([one], { sandboxed: true }))).rejects.toThrow('second name');
    expect(readTree(root)).toMatchObject({ 'locked/open': 'old text', 'free/second': 'old text' });
  });
});
