import { expect, test } from 'vitest';
import type { OpenTerminal } from '../output/terminal.ts';
import { createTerminalTable, TERMINAL_LIMIT } from './terminal-table.ts';
import { realWorld } from './test-environment.ts';

function terminal(id: number, isRunning = true): OpenTerminal {
  return {
    id,
    isSupervised: false,
    pid: id,
    ended: Promise.resolve(),
    isRunning: () => isRunning,
    collect: () => Promise.reject(new Error('not used')),
    write: () => Promise.resolve(),
    resize: () => undefined,
    kill: () => Promise.resolve(),
  };
}

function fullTable(isRunning: (n: number) => boolean) {
  const table = createTerminalTable(realWorld);
  for (let n = 0; n < TERMINAL_LIMIT; n++) expect(table.add(terminal(n, isRunning(n)))).toBeUndefined();
  return table;
}

test('the least recently used terminal makes room', () => {
  const table = fullTable(() => true);
  table.touch(0);
  expect(table.add(terminal(100))?.id).toBe(1);
  expect(table.get(1)).toBeUndefined();
  expect(table.get(0)).toBeDefined();
});

test('an ended terminal makes room before any running one', () => {
  const table = fullTable((n) => n !== 30);
  expect(table.add(terminal(100))?.id).toBe(30);
});

test('the eight most recent ones stay, even when only they have ended', () => {
  const table = fullTable((n) => n < TERMINAL_LIMIT - 8);
  expect(table.add(terminal(100))?.id).toBe(0);
});

test('ids are free again when their terminal is forgotten', () => {
  const table = createTerminalTable({ ...realWorld, random: () => 0 });
  expect([table.freeId(), table.freeId()]).toEqual([1000, 1001]);
  table.delete(1000);
  expect(table.freeId()).toBe(1000);
});
