import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLineAppender } from './line-appender.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'append-'));
  path = join(folder, 'sub/lines.jsonl');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const plain = (ordinal: number | undefined) => `${JSON.stringify({ ordinal })}\n`;
const read = () => readFileSync(path, 'utf8');

test('only the owner may read the file and its folder', () => {
  createLineAppender(path).append(1, plain);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'sub')).mode & 0o777).toBe(0o700);
});

test('ordinals continue after the last line, in whatever form another program wrote it', () => {
  const lines = createLineAppender(path);
  lines.append(1, plain);
  lines.append(1, plain);
  lines.rest();
  lines.append(1, plain);
  expect(read()).toBe('{"ordinal":0}\n{"ordinal":1}\n{"ordinal":2}\n');
  writeFileSync(path, '{"timestamp":"t","ordinal":41,"type":"world_state","payload":{"full":true}}\n{"half');
  createLineAppender(path).append(1, plain);
  expect(read()).toMatch(/\}\n\{"ordinal":42\}\n$/);
});

test('no ordinal is used twice after unreadable lines', () => {
  createLineAppender(path).append(1, plain);
  appendFileSync(path, 'garbage\n\u0000\n');
  createLineAppender(path).append(1, plain);
  expect(read()).toMatch(/\n\{"ordinal":3\}\n$/);
  writeFileSync(path, 'garbage\ngarbage\n');
  createLineAppender(path).append(1, plain);
  expect(read()).toMatch(/\n\{"ordinal":2\}\n$/);
});

test('a file whose lines have no ordinals gets none', () => {
  createLineAppender(path).append(1, () => '{"timestamp":"t","type":"world_state","payload":{"full":true}}\n');
  const lines = createLineAppender(path);
  lines.append(1, plain);
  lines.append(1, plain);
  expect(read()).toMatch(/\}\n\{\}\n\{\}\n$/);
});

test('nothing is appended after lines that another program wrote meanwhile', () => {
  const lines = createLineAppender(path);
  lines.append(1, plain);
  lines.rest();
  expect(lines.isUntouched()).toBe(true);
  appendFileSync(path, '{"ordinal":1}\n');
  expect(lines.isUntouched()).toBe(false);
  expect(() => lines.append(1, plain)).toThrow('was changed by another program');
  renameSync(path, join(folder, 'archived'));
  expect(() => lines.append(1, plain)).toThrow('is gone');
});

test('a file that another program changed while it is open here gets no further line, and loses none', () => {
  const lines = createLineAppender(path);
  lines.append(1, plain);
  appendFileSync(path, '{"ordinal":1}\n');
  expect(lines.isUntouched()).toBe(false);
  for (let tries = 0; tries < 2; tries++) {
    expect(() => lines.append(1, plain)).toThrow('was changed by another program');
    lines.rest();
  }
  expect(read()).toBe('{"ordinal":0}\n{"ordinal":1}\n');
});

test('a file that another program moved or replaced while it is open here gets no further line', () => {
  const lines = createLineAppender(path);
  lines.append(1, plain);
  const moved = join(folder, 'moved');
  renameSync(path, moved);
  expect(lines.isUntouched()).toBe(false);
  expect(() => lines.append(1, plain)).toThrow('is gone');
  copyFileSync(moved, path);
  expect(lines.isUntouched()).toBe(false);
  expect(() => lines.append(1, plain)).toThrow('was changed by another program');
  lines.rest();
  expect(() => lines.append(1, plain)).toThrow('was changed by another program');
  expect([read(), readFileSync(moved, 'utf8')]).toEqual(['{"ordinal":0}\n', '{"ordinal":0}\n']);
});

test.skipIf(!existsSync('/proc/self/fd'))('resting costs no descriptor', () => {
  const many = Array.from({ length: 50 }, (_, n) => createLineAppender(join(folder, `${n}`)));
  for (const lines of many) lines.append(1, plain);
  expect(openBelow(folder)).toBe(50);
  for (const lines of many) lines.rest();
  expect(openBelow(folder)).toBe(0);
});

function openBelow(place: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(place);
    } catch {
      return false;
    }
  }).length;
}

test.skipIf(!existsSync('/dev/full'))('a disk without room is no reason to forget where a line belongs', () => {
  mkdirSync(join(folder, 'sub'));
  symlinkSync('/dev/full', path);
  const lines = createLineAppender(path);
  expect(() => lines.append(1, plain)).toThrow('ENOSPC');
  expect(() => lines.append(1, plain)).toThrow('ENOSPC');
  rmSync(path);
  lines.append(1, plain);
  expect(read()).toBe('{"ordinal":0}\n');
});
