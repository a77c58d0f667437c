import { execFileSync } from 'node:child_process';
import { linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileChange } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import { createFiles } from './create-files.ts';
import { type Disk, disk } from './disk.ts';
import { makeTree, readTree, UNCONFINED } from './test-tree.ts';

type Call = { readonly n: number; readonly name: string; readonly args: readonly unknown[] };

/** Returns a disk on which some calls fail. */
function failingDisk(code: string, fails: (call: Call) => boolean): Disk {
  let n = 0;
  const calls = Object.entries(disk).map(([name, call]) => [
    name,
    (...args: never[]) => {
      n += 1;
      if (fails({ n, name, args })) throw Object.assign(new Error(`${code}: injected, ${name}`), { code });
      return (call as (...args: never[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(calls) as Disk;
}

const CONTENT = {
  update: 'old\r\n',
  'sub/delete': 'gone',
  'sub/move': 'moving',
  'sub/over': 'written over',
  over: 'added over',
  other: 'untouched',
};

function everything(root: string): FileChange[] {
  return [
    { path: join(root, 'new/deep/added'), before: null, after: 'added' },
    { path: join(root, 'update'), before: CONTENT.update, after: 'new' },
    { path: join(root, 'sub/delete'), before: CONTENT['sub/delete'], after: null },
    { path: join(root, 'sub/move'), to: join(root, 'sub/over'), before: CONTENT['sub/move'], after: 'moved' },
    { path: join(root, 'over'), before: CONTENT.over, after: 'over again' },
    { path: join(root, 'new/second'), before: null, after: 'second' },
  ];
}

const CHANGED = {
  'new/': '',
  'new/deep/': '',
  'new/deep/added': 'added',
  'new/second': 'second',
  other: 'untouched',
  over: 'over again',
  'sub/': '',
  'sub/over': 'moved',
  update: 'new',
};

/** Reports whether a call creates a file. Where creation fails, a file can only be written in place. */
const isCreation = ({ name, args }: Call) => name === 'openSync' && args.length === 3;

async function attempt(broken: Disk): Promise<{ root: string; failure: unknown; before: Record<string, string> }> {
  const root = makeTree(CONTENT);
  const before = readTree(root);
  const files = createFiles(UNCONFINED, { env: {}, disk: broken });
  const failure = await files.change(everything(root), { sandboxed: false }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { root, failure, before };
}

/** Counts the calls of the change when none fails. */
async function countCalls(also: (call: Call) => boolean = () => false): Promise<number> {
  let count = 0;
  const { root, failure } = await attempt(
    failingDisk('EACCES', (call) => {
      count = call.n;
      return also(call);
    }),
  );
  expect(failure).toBeUndefined();
  expect(readTree(root)).toEqual(CHANGED);
  return count;
}

describe('all or nothing', () => {
  test.each(['ENOSPC', 'EIO', 'EPERM'])('whichever call fails once with %s', async (code) => {
    const count = await countCalls();
    let undone = 0;
    for (let n = 1; n <= count; n++) {
      const { root, failure, before } = await attempt(failingDisk(code, (call) => call.n === n));
      if (failure === undefined) {
        expect(readTree(root)).toEqual(CHANGED);
        continue;
      }
      undone += 1;
      expect(failure).toBeInstanceOf(ToolFailure);
      expect(failure).toMatchObject({ effect: 'none', message: expect.stringContaining('Nothing was changed.') });
      expect(readTree(root)).toEqual(before);
    }
    expect(undone).toBeGreaterThan(code === 'EPERM' ? 10 : 25);
  });

  test('when the disk is full from some call on', async () => {
    const needsRoom = (call: Call) => ['mkdirSync', 'linkSync', 'writeSync'].includes(call.name) || isCreation(call);
    const count = await countCalls();
    for (let n = 1; n <= count; n++) {
      const { root, failure, before } = await attempt(failingDisk('ENOSPC', (call) => call.n >= n && needsRoom(call)));
      expect(readTree(root)).toEqual(failure === undefined ? CHANGED : before);
    }
  });

  test('when a file has to be written in place, whichever call fails', async () => {
    const root = makeTree({ one: 'first, and long', two: 'second', three: 'x' });
    const before = readTree(root);
    const changes = [
      { path: join(root, 'one'), before: 'first, and long', after: 'short' },
      { path: join(root, 'two'), before: 'second', after: 'much longer than before' },
      { path: join(root, 'three'), before: 'x', after: null },
    ];
    for (let n = 1; ; n++) {
      let last = 0;
      let refused = '';
      const broken = failingDisk('EACCES', (call) => {
        last = call.n;
        if (isCreation(call)) return true;
        if (call.n !== n) return false;
        refused = call.name;
        throw Object.assign(new Error('EIO: injected, call'), { code: 'EIO' });
      });
      const files = createFiles(UNCONFINED, { env: {}, disk: broken });
      const failure = await files.change(changes, { sandboxed: false }).catch((error: unknown) => error);
      if (failure === undefined) {
        expect(readTree(root)).toEqual({ one: 'short', two: 'much longer than before' });
        if (last < n) break;
        for (const [name, text] of Object.entries(before)) writeFileSync(join(root, name), text);
        continue;
      }
      expect([refused, readTree(root)]).toEqual([refused, before]);
    }
  });

  test('where hard links are impossible', async () => {
    const noLinks = (call: Call) => call.name === 'linkSync';
    const count = await countCalls(noLinks);
    for (let n = 1; n <= count; n++) {
      const broken = failingDisk('EPERM', (call) => {
        if (noLinks(call)) return true;
        if (call.n === n) throw Object.assign(new Error('EIO: injected, call'), { code: 'EIO' });
        return false;
      });
      const { root, failure, before } = await attempt(broken);
      expect(readTree(root)).toEqual(failure === undefined ? CHANGED : before);
    }
  });
});

test('a failed undo is reported, with the path of the old file', async () => {
  const root = makeTree({ a: 'a', b: 'b' });
  let renames = 0;
  const broken = failingDisk('EIO', ({ name }) => name === 'renameSync' && ++renames > 1);
  const files = createFiles(UNCONFINED, { env: {}, disk: broken });
  const changes = ['a', 'b'].map((name) => ({ path: join(root, name), before: name, after: name.toUpperCase() }));
  const failure: unknown = await files.change(changes, { sandboxed: false }).catch((error: unknown) => error);
  const message = (failure as ToolFailure).message;
  expect(message).toMatch(/\/b could not be changed: injected\. Not everything could be undone\./);
  const aside = /\/a could not be put back and is now (\S+): injected/.exec(message)?.[1] ?? '';
  expect(readTree(root)).toEqual({ a: 'A', b: 'b', [aside.slice(root.length + 1)]: 'a' });
});

test('a file that is written between the check and the change stays as it is', async () => {
  const root = makeTree({ a: 'a', b: 'b' });
  let changed = false;
  const racing = failingDisk('EIO', ({ name, args }) => {
    if (!changed && name === 'linkSync' && String(args[0]).endsWith('/b')) {
      changed = true;
      writeFileSync(join(root, 'b'), 'of another');
    }
    return false;
  });
  const files = createFiles(UNCONFINED, { env: {}, disk: racing });
  const changes = ['a', 'b'].map((name) => ({ path: join(root, name), before: name, after: name.toUpperCase() }));
  await expect(files.change(changes, { sandboxed: false })).rejects.toThrow(/\/b has changed since it was read/);
  expect(readTree(root)).toEqual({ a: 'a', b: 'of another' });
});

test('a file that appears between the check and the change is not overwritten', async () => {
  const root = makeTree({ a: 'a' });
  const racing = failingDisk('EIO', ({ name, args }) => {
    if (name === 'lstatSync' && String(args[0]).endsWith('/new')) {
      try {
        linkSync(join(root, 'a'), join(root, 'later'));
      } catch {
        writeFileSync(join(root, 'new'), 'of another');
      }
    }
    return false;
  });
  const files = createFiles(UNCONFINED, { env: {}, disk: racing });
  const changes = [{ path: join(root, 'new'), before: null, after: 'mine' }];
  await expect(files.change(changes, { sandboxed: false })).rejects.toThrow(/\/new is there by now/);
  expect(readTree(root)).toEqual({ a: 'a', later: 'a', new: 'of another' });
});

const [MOUNT, UNMOUNT] = ['mount', 'umount'];
const mountSmall = (folder: string) => execFileSync(MOUNT, ['-t', 'tmpfs', '-o', 'size=256k', 'none', folder]);
const unmount = (folder: string) => execFileSync(UNMOUNT, [folder]);

const canMount = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-mount-'));
  try {
    mountSmall(folder);
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
})();

test.runIf(canMount)('a real full disk leaves everything as it was', async () => {
  const root = makeTree();
  mountSmall(root);
  try {
    for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), name.repeat(40_000));
    const before = readTree(root);
    const files = createFiles(UNCONFINED, { env: {} });
    const changes = ['a', 'b', 'c'].map((name) => ({
      path: join(root, name),
      before: name.repeat(40_000),
      after: name.toUpperCase().repeat(60_000),
    }));
    const added = { path: join(root, 'deep/new'), before: null, after: 'x' };
    await expect(files.change([added, ...changes], { sandboxed: false })).rejects.toThrow('no space left on device');
    expect(readTree(root)).toEqual(before);
    await files.change(changes.slice(0, 1), { sandboxed: false });
    expect(readTree(root)).toEqual({ ...before, a: 'A'.repeat(60_000) });
  } finally {
    unmount(root);
  }
});

test.runIf(canMount)('a file that is mounted by itself is written in place', async () => {
  const root = makeTree({ 'real/file': 'old', 'work/file': '', 'work/other': 'o' });
  const path = join(root, 'work/file');
  execFileSync(MOUNT, ['--bind', join(root, 'real/file'), path]);
  try {
    const files = createFiles(UNCONFINED, { env: {} });
    const changes = [
      { path, before: 'old', after: 'a longer text' },
      { path: join(root, 'work/other'), before: 'o', after: 'O' },
    ];
    await files.change(changes, { sandboxed: false });
    expect(readTree(root)).toMatchObject({ 'real/file': 'a longer text', 'work/other': 'O' });
    const removal = files.change([{ path, before: 'a longer text', after: null }], { sandboxed: false });
    await expect(removal).rejects.toThrow(/work\/file could not be changed: resource busy or locked/);
  } finally {
    unmount(path);
  }
  expect(Object.keys(readTree(join(root, 'work')))).toEqual(['file', 'other']);
});
