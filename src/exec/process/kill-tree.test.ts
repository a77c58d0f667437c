import { describe, expect, test } from 'vitest';
import { treeMembers } from './kill-tree.ts';
import { type ProcessRow, parseStat, readProcessTable } from './process-table.ts';

const row = (pid: number, parent: number, more: Partial<ProcessRow> = {}): ProcessRow => ({
  pid,
  parent,
  group: 1,
  session: 1,
  ended: false,
  startedAt: 100,
  ...more,
});

const us = row(process.pid, 1, { startedAt: 50 });
const noMark = () => false;

describe('the members of a tree', () => {
  test('are the roots and their descendants', () => {
    const rows = [us, row(1e7, process.pid), row(1e7 + 1, 1e7 + 2), row(1e7 + 2, 1e7), row(1e7 + 3, process.pid)];
    expect(treeMembers(rows, { roots: [1e7], supervisors: [], mark: 'M' }, noMark)).toEqual([1e7, 1e7 + 1, 1e7 + 2]);
  });

  test('are the processes that share a group or session with a root', () => {
    const rows = [us, row(1e7, process.pid), row(5, 1, { group: 1e7 }), row(6, 1, { session: 1e7 }), row(7, 1)];
    expect(treeMembers(rows, { roots: [1e7], supervisors: [], mark: 'M' }, noMark)).toEqual([1e7, 5, 6]);
  });

  test('are the processes with the mark and their descendants, but none older than we are', () => {
    const rows = [us, row(5, 1), row(6, 5), row(7, 1), row(8, 1, { startedAt: 49 })];
    const asked: number[] = [];
    const carriesMark = (pid: number) => {
      asked.push(pid);
      return pid === 5 || pid === 8;
    };
    expect(treeMembers(rows, { roots: [], supervisors: [], mark: 'M' }, carriesMark)).toEqual([5, 6]);
    expect(asked).not.toContain(8);
  });

  test('are neither we ourselves nor ended processes', () => {
    const rows = [row(process.pid, 1e7, { group: 1e7 }), row(1e7, 1, { ended: true })];
    expect(treeMembers(rows, { roots: [1e7], supervisors: [], mark: 'M' }, () => true)).toEqual([]);
  });
});

describe('the process table', () => {
  test('reads a process whose name looks like the fields after it', () => {
    const stat = `42 (a) R 1 (b) S 7 8 9 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0`;
    expect(parseStat(stat)).toEqual({ pid: 42, parent: 7, group: 8, session: 9, ended: false, startedAt: 12_345 });
  });

  test('reports ended processes', () => {
    expect(parseStat('42 (x) Z 7 8 9 0 -1')?.ended).toBe(true);
  });

  test.skipIf(process.platform !== 'linux')('contains this process and its parent', () => {
    const rows = readProcessTable() ?? [];
    expect(rows.find((candidate) => candidate.pid === process.pid)?.parent).toBe(process.ppid);
  });
});
