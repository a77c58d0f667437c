import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PatchAction } from '../../base/action.ts';
import type { View } from '../../base/tool.ts';
import { createFiles } from '../../exec/files/create-files.ts';
import { planPatch } from './plan-patch.ts';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'oxbow-plan-patch-')));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), content);
}

/** Plans a patch. `inGit` are the names that git has. */
function plan(body: string, { from = cwd, inGit = [] as string[] } = {}): Promise<PatchAction> {
  const files = createFiles({ mode: 'danger-full-access', writableRoots: [], network: true }, { env: {} });
  const view: View = {
    cwd,
    shell: '/bin/bash',
    repairArgv: true,
    resolve: (path) => resolve(cwd, path),
    files: { ...files, isInGit: async (path) => inGit.some((name) => path === join(cwd, name)) },
    inputs: { images: false, originalImages: false },
  };
  return planPatch(
    `*** Begin Patch\n${body === '' ? '' : `${body}\n`}*** End Patch`,
    { cwd: from, escalate: false },
    view,
  );
}

/** Returns the texts of all files by name. */
function tree(): Record<string, string> {
  const names = readdirSync(cwd, { recursive: true, encoding: 'utf8', withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((path) => [path.slice(cwd.length + 1), readFileSync(path, 'latin1')]));
}

describe('a plan', () => {
  test('has the new content of each file, and changes nothing', async () => {
    write('old.txt', 'one\ntwo\n');
    write('gone.txt', 'x\n');
    write('from.txt', 'a\n');
    const before = tree();
    const action = await plan(
      [
        '*** Add File: deep/new.txt',
        '+hi',
        '*** Update File: ./old.txt',
        ' one',
        '-two',
        '+zwei',
        '*** Update File: from.txt',
        '*** Move to: deep/to.txt',
        '-a',
        '+b',
        '*** Delete File: gone.txt',
      ].join('\n'),
    );
    const at = (name: string) => join(cwd, name);
    expect(action).toEqual({
      kind: 'patch',
      escalate: false,
      changes: [
        {
          type: 'add',
          path: at('deep/new.txt'),
          shown: 'deep/new.txt',
          destroys: false,
          before: null,
          after: 'hi\n',
        },
        {
          type: 'update',
          path: at('old.txt'),
          shown: './old.txt',
          destroys: false,
          before: 'one\ntwo\n',
          after: 'one\nzwei\n',
        },
        {
          type: 'update',
          path: at('from.txt'),
          to: at('deep/to.txt'),
          shown: 'deep/to.txt',
          destroys: false,
          before: 'a\n',
          after: 'b\n',
        },
        { type: 'delete', path: at('gone.txt'), shown: 'gone.txt', destroys: true, before: 'x\n', after: null },
      ],
    });
    expect(tree()).toEqual(before);
  });

  test('of an empty patch is empty', async () => {
    expect((await plan('')).changes).toEqual([]);
  });

  test('resolves links', async () => {
    write('real/a.txt', '1\n');
    symlinkSync('real', join(cwd, 'link'));
    const { changes } = await plan('*** Update File: link/a.txt\n-1\n+2\n*** Add File: link/b.txt\n+x');
    expect(changes.map(({ path }) => path)).toEqual([join(cwd, 'real/a.txt'), join(cwd, 'real/b.txt')]);
  });

  test('keeps the byte order mark and the line ends of a file', async () => {
    write('a.txt', '\uFEFFone\r\ntwo\r\n');
    const { changes } = await plan('*** Update File: a.txt\n-two\n+zwei');
    expect(changes).toMatchObject([{ before: '\uFEFFone\r\ntwo\r\n', after: '\uFEFFone\r\nzwei\r\n' }]);
  });
});

describe('what is lost', () => {
  const cases: [string, string][] = [
    ['a deleted file', '*** Delete File: a'],
    ['a file that is written over', '*** Add File: a\n+new'],
    ['a file that another moves over', '*** Update File: b\n*** Move to: a\n-1\n+2'],
  ];
  test.each(cases)('%s, unless git has it', async (_, body) => {
    write('a', 'old\n');
    write('b', '1\n');
    expect((await plan(body)).changes).toMatchObject([{ destroys: true }]);
    expect((await plan(body, { inGit: ['a'] })).changes).toMatchObject([{ destroys: false }]);
  });

  test.each([
    ['an update', '*** Update File: a\n-old\n+new'],
    ['a file that is written over with the same', '*** Add File: a\n+old'],
    ['a move to itself', '*** Update File: a\n*** Move to: ./a\n-old\n+new'],
  ])('nothing by %s', async (_, body) => {
    write('a', 'old\n');
    expect((await plan(body)).changes).toMatchObject([{ path: join(cwd, 'a'), destroys: false }]);
  });
});

describe('a plan fails', () => {
  const bad: [string, string, string][] = [
    [
      'for a file that is not there',
      '*** Update File: no\n-a\n+b',
      'Failed to read file to update {}/no: No such file or directory (os error 2)',
    ],
    [
      'for a file to delete that is not there',
      '*** Delete File: no',
      'Failed to read {}/no: No such file or directory (os error 2)',
    ],
    ['for a folder to delete', '*** Delete File: folder', 'Failed to read {}/folder: Is a directory (os error 21)'],
    [
      'for a folder to update',
      '*** Update File: folder\n-a\n+b',
      'Failed to read file to update {}/folder: Is a directory (os error 21)',
    ],
    [
      'for a folder to write over',
      '*** Add File: folder\n+x',
      'Failed to write file {}/folder: Is a directory (os error 21)',
    ],
    [
      'for a folder to move over',
      '*** Update File: a\n*** Move to: folder\n-a\n+b',
      'Failed to write file {}/folder: Is a directory (os error 21)',
    ],
    [
      'for what is no text',
      '*** Update File: bytes\n-a\n+b',
      'Failed to read file to update {}/bytes: stream did not contain valid UTF-8',
    ],
    [
      'for a file that is a folder to others',
      '*** Add File: a/b\n+x',
      'Failed to write file {}/a/b: Not a directory (os error 20)',
    ],
    [
      'for two parts about one file',
      '*** Update File: a\n-a\n+b\n*** Delete File: ./a',
      'invalid patch: multiple operations target {}/a',
    ],
    [
      'for two parts that meet through a move',
      '*** Add File: c\n+x\n*** Update File: a\n*** Move to: c\n-a\n+b',
      'invalid patch: multiple operations target {}/c',
    ],
    ['for lines that are not there', '*** Update File: a\n-z\n+b', 'Failed to find expected lines in {}/a:\nz'],
    [
      'for an unknown heading',
      '*** Rename File: a',
      "invalid hunk at line 2, '*** Rename File: a' is not a valid hunk header",
    ],
  ];
  test.each(bad)('%s', async (_, body, reason) => {
    write('a', 'a\n');
    write('folder/x', '');
    write('bytes', Buffer.from([0xff, 0xfe, 0x61]));
    const before = tree();
    const failure: unknown = await plan(`*** Add File: first\n+1\n${body}`).catch((error: unknown) => error);
    const expected = `apply_patch verification failed: ${reason.replace('{}', cwd)}`.replace('line 2', 'line 4');
    expect(failure).toMatchObject({ name: 'ToolFailure', message: expect.stringContaining(expected) });
    expect(tree()).toEqual(before);
  });

  test('for a text that is not a patch', async () => {
    const view = { cwd, files: {} } as View;
    await expect(planPatch('hello', { cwd, escalate: false }, view)).rejects.toThrow(
      "apply_patch verification failed: invalid patch: The first line of the patch must be '*** Begin Patch'",
    );
  });

  test('for a missing folder to start from', async () => {
    write('file', '');
    const from = (name: string) => plan('*** Add File: x\n+1', { from: join(cwd, name) });
    await expect(from('no')).rejects.toThrow(`${join(cwd, 'no')}: No such file or directory`);
    await expect(from('file')).rejects.toThrow(`${join(cwd, 'file')}: Not a directory`);
  });
});
