import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLogFile } from './log-file.ts';

function home(): string {
  const folder = mkdtempSync(join(tmpdir(), 'log-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('lines go to the file of that name, which only its owner may read', () => {
  const folder = home();
  const log = openLogFile(folder, 'other.log');
  log.write('one');
  log.write('two');
  log.close();
  const path = join(folder, 'log', 'other.log');
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an open log that has grown too long is renamed, and a new one begins', () => {
  const folder = home();
  const log = openLogFile(folder);
  const line = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 12; n++) log.write(line);
  log.write('last');
  log.close();
  expect(readdirSync(join(folder, 'log')).sort()).toEqual(['oxbow.log', 'oxbow.log.1']);
  expect(readFileSync(join(folder, 'log', 'oxbow.log'), 'utf8')).toMatch(/\nlast\n$/);
});

test('a log that cannot be written does not fail', () => {
  const log = openLogFile('/dev/null');
  log.write('one');
  log.close();
});
