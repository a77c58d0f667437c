import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askToReload, type GatewayState, openGatewayFile, readRunningGateways } from './running-gateways.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'gateways-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const STATE: GatewayState = {
  url: 'http://127.0.0.1:4141',
  since: 5,
  source: 'config',
  provider: 'ollama',
  model: null,
  reloads: 0,
  problem: null,
};

test('a running gateway is listed until it removes its file', () => {
  const file = openGatewayFile(home);
  expect(readRunningGateways(home)).toEqual([]);
  file.write(STATE);
  file.write({ ...STATE, reloads: 1 });
  const [running, ...others] = readRunningGateways(home);
  expect(running).toEqual({ ...STATE, reloads: 1, pid: process.pid, isKnown: running?.isKnown });
  expect(others).toEqual([]);
  const [name = ''] = readdirSync(join(home, 'gateways'));
  expect(statSync(join(home, 'gateways', name)).mode & 0o777).toBe(0o600);
  file.remove();
  expect(readRunningGateways(home)).toEqual([]);
});

/** Writes the file of another process with the mark of this one, changed. */
function leave(pid: number, change: object): string {
  openGatewayFile(home).write(STATE);
  const own = join(home, 'gateways', `${process.pid}.json`);
  const entry = JSON.parse(readFileSync(own, 'utf8'));
  rmSync(own);
  const path = join(home, 'gateways', `${pid}.json`);
  writeFileSync(path, JSON.stringify({ ...entry, mark: { ...entry.mark, pid, ...change } }));
  return path;
}

test('the file of a process that has ended is removed, also if its number was given to another process', () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const ended = leave(pid, {});
  const reused = leave(process.ppid, { start: '1' });
  const rebooted = leave(process.pid + 1, { boot: 'another' });
  expect(readRunningGateways(home)).toEqual([]);
  for (const path of [ended, reused, rebooted]) expect(existsSync(path)).toBe(false);
});

test.runIf(process.platform === 'linux')('a process that cannot be told from others gets no signal', () => {
  const path = leave(process.pid, { start: null });
  const [unknown] = readRunningGateways(home);
  expect(unknown?.isKnown).toBe(false);
  expect(unknown && askToReload(unknown)).toBe(false);
  leave(process.pid, { space: 'pid:[1]' });
  expect(readRunningGateways(home)).toMatchObject([{ isKnown: false }]);
  expect(existsSync(path)).toBe(true);
});

test('broken files, other files and a home that cannot be written to do no harm', () => {
  mkdirSync(join(home, 'gateways'));
  for (const [name, text] of [
    ['1.json', '{oops'],
    ['2.json', '[]'],
    ['3.json', JSON.stringify({ ...STATE, provider: 5, mark: { pid: process.pid, host: 'h' } })],
    ['notes.txt', 'x'],
  ] as const)
    writeFileSync(join(home, 'gateways', name), text);
  expect(readRunningGateways(home)).toEqual([]);
  const nowhere = openGatewayFile(join(home, 'gateways', 'notes.txt'));
  nowhere.write(STATE);
  nowhere.remove();
});
