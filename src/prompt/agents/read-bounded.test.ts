import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readBounded } from './read-bounded.ts';

const MKFIFO = 'mkfifo';
const folder = mkdtempSync(join(tmpdir(), 'oxbow-bounded-'));
const at = (name: string) => join(folder, name);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('says whether there is more than was asked for', () => {
  writeFileSync(at('file'), '12345');
  const read = (limit: number) => {
    const { bytes, whole } = readBounded(at('file'), limit);
    return [bytes.toString(), whole];
  };
  expect(read(4)).toEqual(['1234', false]);
  expect(read(5)).toEqual(['12345', true]);
  expect(read(Number.MAX_SAFE_INTEGER)).toEqual(['12345', true]);
});

test('neither waits for nor follows something that took the file’s place', () => {
  execFileSync(MKFIFO, [at('pipe')]);
  expect(() => readBounded(at('pipe'), 10)).toThrow('is not a regular file');
  writeFileSync(at('target'), 'x');
  symlinkSync(at('target'), at('link'));
  expect(() => readBounded(at('link'), 10)).toThrow(/ELOOP|EMLINK/);
  expect(() => readBounded(folder, 10)).toThrow();
});
