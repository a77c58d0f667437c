import { expect, test } from 'vitest';
import type { FileChangeItem, ShownChange } from '../../base/event.ts';
import { formatPatch } from './format-patch.ts';
import { createStyle } from './style.ts';

const plain = createStyle(false);
const header = (name: string) => `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n`;
const change = (name: string, hunks: string, more: Partial<ShownChange> = {}): ShownChange => ({
  kind: 'update',
  path: `/w/${name}`,
  diff: header(name) + hunks,
  ...more,
});
const item = (changes: ShownChange[], status: FileChangeItem['status'] = 'completed'): FileChangeItem => ({
  type: 'file_change',
  id: 'c',
  changes,
  status,
});

test('each file has a line with its changes below', () => {
  const changes = [
    change('a.txt', '@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n'),
    change('b.txt', '', { kind: 'update', to: '/w/deep/c.txt' }),
    change('d.txt', '@@ -1 +0,0 @@\n-x\n', { kind: 'delete' }),
    change('e.txt', '@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n', { kind: 'add', path: '/elsewhere/e.txt' }),
  ];
  expect(formatPatch(item(changes), { style: plain, folder: '/w' }).split('\n')).toEqual([
    'M a.txt +1 -1',
    '  @@ -1,2 +1,2 @@',
    '   one',
    '  -two',
    '  +zwei',
    'M b.txt -> deep/c.txt +0 -0',
    'D d.txt +0 -1',
    '  @@ -1 +0,0 @@',
    '  -x',
    'A /elsewhere/e.txt +1 -0',
    '  @@ -0,0 +1 @@',
    '  +x',
    '  \\ No newline at end of file',
  ]);
});

test('long diffs and many files are cut short, their counts are not', () => {
  const long = `@@ -0,0 +1,100 @@\n${'+x\n'.repeat(100)}`;
  const lines = formatPatch(item(Array.from({ length: 25 }, (_, n) => change(`f${n}`, long))), {
    style: plain,
  }).split('\n');
  expect(lines).toContain('M /w/f0 +100 -0');
  expect(lines).toContain('  … 61 more lines');
  expect(lines).toContain('M /w/f19 +100 -0');
  expect(lines.at(-1)).toBe('… 5 more files');
  expect(lines.length).toBeLessThan(90);
});

test('a change that was not applied says so and why, and does not look applied', () => {
  const changes = [change('a', '@@ -1 +1 @@\n-a\n+b\n')];
  for (const status of ['declined', 'failed'] as const) {
    const shown = formatPatch(item(changes, status), { style: plain, folder: '/w', reason: 'the disk is full' });
    expect(shown).toBe('a (not applied)\n  @@ -1 +1 @@\n  -a\n  +b\n  not applied: the disk is full');
    expect(formatPatch(item(changes, status), { style: createStyle(true) })).not.toContain('\u001b[32m');
  }
});

test('lines are coloured and cannot control the terminal', () => {
  const shown = formatPatch(item([change('a', '@@ -1 +1 @@\n-\u001b[2Jold\n+new\n')]), { style: createStyle(true) });
  expect(shown).toContain('\u001b[31m  -old\u001b[39m');
  expect(shown).toContain('\u001b[32m  +new\u001b[39m');
  expect(shown).not.toContain('[2J');
});
