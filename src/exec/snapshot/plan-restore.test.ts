import type { Stats } from 'node:fs';
import { expect, test } from 'vitest';
import { planRestore, withoutRespelled } from './plan-restore.ts';
import type { KeptEntry, LeftReason, Tree } from './tree.ts';

const file = (id: string, mode = 0o644): KeptEntry => ({ kind: 'file', mode, id });
const folder = (mode = 0o755): KeptEntry => ({ kind: 'folder', mode, id: 'f' });

function tree(entries: Record<string, KeptEntry>, left: Record<string, LeftReason> = {}): Tree {
  return { entries: new Map(Object.entries(entries)), left: new Map(Object.entries(left)) };
}

const short = (kept: Tree, present: Tree) => planRestore(kept, present).map((step) => `${step.type} ${step.path}`);

test('an unchanged workspace needs no steps', () => {
  const same = tree({ a: file('1'), d: folder(), 'd/b': file('2') });
  expect(short(same, same)).toEqual([]);
});

test('an entry in the way is deleted before its replacement is written', () => {
  const kept = tree({ x: folder(), 'x/a': file('1'), y: file('2') });
  const present = tree({ x: file('3'), y: folder(), 'y/b': file('4') });
  expect(short(kept, present)).toEqual(['delete x', 'delete y/b', 'write x/a', 'write y']);
});

test('paths that the snapshot left out are not deleted, nor anything below them', () => {
  const kept = tree({}, { ignored: 'ignored', big: 'large' });
  const present = tree({ ignored: folder(), 'ignored/a': file('1'), big: file('2'), ignored2: file('3') });
  expect(short(kept, present)).toEqual(['delete ignored2']);
});

test('a folder becomes writable before its contents are written, and read-only afterwards', () => {
  const kept = tree({ d: folder(0o755), 'd/a': file('1'), e: folder(0o555), 'e/a': file('1') });
  const present = tree({ d: folder(0o555), e: folder(0o755) });
  expect(short(kept, present)).toEqual(['mode d', 'write d/a', 'write e/a', 'mode e']);
});

test('on a disk that ignores case, a file whose name changed case is deleted and written again', () => {
  const stat = { dev: 1, ino: 7, nlink: 1 } as Stats;
  const kept = tree({ Readme: file('1') });
  // Both names lead to the same file.
  const present = tree({ readme: file('1'), Readme: file('1') });
  const stats = new Map([
    ['readme', stat],
    ['Readme', stat],
  ]);
  expect(short(kept, withoutRespelled(kept, present, stats))).toEqual(['delete readme', 'write Readme']);
  const linked = new Map([...stats].map(([path]) => [path, { ...stat, nlink: 2 } as Stats]));
  expect(short(kept, withoutRespelled(kept, present, linked))).toEqual(['delete readme']);
});
