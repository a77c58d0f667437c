import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTree, readTree } from '../../../src/exec/files/test-tree.ts';
import { readScenarios } from '../../behaviour/patch/read-scenarios.ts';
import { APPLY_PATCH, patchOf, runCommand } from './run-command.ts';

interface Case {
  readonly name: string;
  /** Makes the tree before the patch. */
  fill(folder: string): void;
  readonly patch: string;
}

const own = (name: string, files: Readonly<Record<string, string | Buffer>>, ...lines: string[]): Case => ({
  name,
  patch: patchOf(...lines),
  fill: (folder) => cpSync(makeTree(files), folder, { recursive: true }),
});

const linked = (one: Case, target: string, link: string): Case => ({
  ...one,
  fill(folder) {
    one.fill(folder);
    symlinkSync(target, join(folder, link));
  },
});

const OWN: readonly Case[] = [
  own('adds, with folders and without lines', {}, '*** Add File: a/b/c', '+x', '*** Add File: empty'),
  own(
    'all kinds in one patch',
    { u: '1\n', d: '2\n', m: '3\n' },
    ...['*** Delete File: d', '*** Update File: u', '@@', '-1', '+one', '*** Add File: n', '+n'],
    ...['*** Update File: m', '*** Move to: x/m', '@@', '-3', '+three'],
  ),
  own('nothing', {}),
  own('a missing file to delete', { a: '' }, '*** Add File: b', '+b', '*** Delete File: c', '*** Delete File: a'),
  own('a missing file to update', {}, '*** Update File: a', '@@', '-1', '+2'),
  own('a folder to delete', { 'a/b': '' }, '*** Delete File: a'),
  own('a folder to update', { 'a/b': '' }, '*** Update File: a', '@@', '-1', '+2'),
  own('a folder to add', { 'a/b': '' }, '*** Add File: a', '+1'),
  own('a file where a folder would be', { a: '1\n' }, '*** Add File: a/b', '+1'),
  own('a file above what is updated', { a: '1\n' }, '*** Update File: a/b', '@@', '-1', '+2'),
  own('a move onto a folder', { a: '1\n', 'b/c': '' }, '*** Update File: a', '*** Move to: b', '@@', '-1', '+2'),
  own('a move without lines', { a: '1\n' }, '*** Update File: a', '*** Move to: b'),
  own('a place that is not there', { a: '1\n2\n' }, '*** Update File: a', '@@ nowhere', '-1', '+2'),
  own('lines that are not there', { a: '1\n2\n' }, '*** Update File: a', '@@', '-3', '+2'),
  own('a header that is none', {}, '*** Rename File: a'),
  own(
    'the same file three times',
    {},
    '*** Add File: a',
    '+1',
    '*** Update File: ./a',
    '-1',
    '+2',
    '*** Delete File: a',
  ),
  own('a name that is too long', {}, `*** Add File: ${'x'.repeat(300)}`, '+1'),
  own('a long name to update', {}, `*** Update File: ${'x'.repeat(300)}`, '@@', '-1', '+2'),
  linked(own('an update through a link', { a: '1\n' }, '*** Update File: l', '@@', '-1', '+2'), 'a', 'l'),
  linked(own('a link to delete', { a: '1\n' }, '*** Delete File: l'), 'a', 'l'),
  linked(own('a link to a folder to delete', { 'a/b': '1\n' }, '*** Delete File: l'), 'a', 'l'),
  linked(own('a link to nothing to delete', {}, '*** Delete File: l'), 'a', 'l'),
  linked(own('an addition through a link', { 'd/x': '' }, '*** Add File: l', '+1'), 'd/new', 'l'),
  linked(own('an addition through a link to nowhere', {}, '*** Add File: l', '+1'), 'd/new', 'l'),
  linked(own('a link in a circle', {}, '*** Update File: l', '@@', '-1', '+2'), 'l', 'l'),
  linked(own('a move of a link', { a: '1\n' }, '*** Update File: l', '*** Move to: b', '@@', '-1', '+2'), 'a', 'l'),
];

const scenarios = readScenarios().map(
  ({ name, before, patch }): Case => ({
    name,
    patch,
    fill: (folder) => cpSync(makeTree(Object.fromEntries(before)), folder, { recursive: true }),
  }),
);

/** Cases that Codex refuses because it does not know them. */
const BEYOND = /byte-order-mark|unified-header|names-repeated|element|cdata|fence|diff|git-mail/;

/** Returns the result of a patch, with the same folder name for both programs. */
function outcome(program: string, { fill, patch }: Case, how: 'argument' | 'input') {
  const cwd = makeTree();
  fill(cwd);
  const { code, stdout, stderr } = runCommand(program, {
    cwd,
    ...(how === 'argument' ? { args: [patch] } : { stdin: patch }),
  });
  return { code, stdout, stderr: stderr.replaceAll(cwd, '/folder'), tree: readTree(cwd) };
}

test('apply_patch ends with its list of files, or with one error message', () => {
  const outcomes = OWN.map((one) => outcome(APPLY_PATCH, one, 'argument'));
  for (const { code, stdout, stderr } of outcomes) {
    expect(code === 0 ? stderr : stdout).toBe('');
    expect(code === 0 ? stdout : stderr).toMatch(code === 0 ? /^Success\. Updated/ : /^(Failed|Invalid|No files)/);
    expect(stderr).not.toMatch(/\n {4}at /);
  }
  expect(new Set(outcomes.map(({ code }) => code))).toEqual(new Set([0, 1]));
});

// Most machines do not have Codex, and it is not what is tested. Without it no test counts as skipped.
const codex = process.env.OXBOW_CODEX;
if (codex) {
  test.each([...OWN, ...scenarios])('apply_patch does the same as in Codex: $name', (one) => {
    const folder = makeTree();
    const theirs = join(folder, 'apply_patch');
    symlinkSync(codex, theirs);
    for (const how of ['argument', 'input'] as const) {
      const expected = outcome(theirs, one, how);
      if (BEYOND.test(one.name) && expected.code === 1) continue;
      const { stderr, ...rest } = outcome(APPLY_PATCH, one, how);
      expect({ ...rest, stderr: stderr.slice(0, expected.stderr.length) }).toEqual(expected);
      // Only the closest place may follow.
      if (!expected.stderr.startsWith('Failed to find')) expect(stderr).toBe(expected.stderr);
    }
  });
}
