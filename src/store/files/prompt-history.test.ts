import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPromptHistory } from './prompt-history.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'oxbow-history-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const file = () => join(home, 'history.jsonl');
const historyOf = (maxBytes: number | null = null) =>
  openPromptHistory({ home, maxBytes, now: () => 1_700_000_000_999 });

test('texts are lines in the shape of Codex, which only the user can read', async () => {
  const history = historyOf();
  await history.add('fix\nit', 'thread-1');
  expect(readFileSync(file(), 'utf8')).toBe('{"session_id":"thread-1","ts":1700000000,"text":"fix\\nit"}\n');
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('the newest come first, without doubles in a row', async () => {
  const history = historyOf();
  for (const text of ['a', 'b', 'b', 'c', 'b', ' ']) await history.add(text, 't');
  expect(await history.recent(10)).toEqual(['b', 'c', 'b', 'a']);
  expect(await history.recent(2)).toEqual(['b', 'c']);
});

test('there is no file yet', async () => {
  expect(await historyOf().recent(5)).toEqual([]);
});

test('other lines do no harm, and half a line does not spoil the next', async () => {
  writeFileSync(file(), 'rubbish\n{"text":5}\n{"session_id":"x","ts":1,"text":"old"}\n{"session_id":"x","te');
  const history = historyOf();
  await history.add('new', 't');
  expect(await history.recent(5)).toEqual(['new', 'old']);
});

test('texts of processes that write at once all stay', async () => {
  const texts = Array.from({ length: 50 }, (_, at) => `text ${at} ${'x'.repeat(500)}`);
  await Promise.all(texts.map((text) => historyOf().add(text, 't')));
  expect((await historyOf().recent(100)).sort((one, two) => one.localeCompare(two))).toEqual(
    texts.sort((one, two) => one.localeCompare(two)),
  );
});

test('the oldest texts are dropped when the file is too large', async () => {
  const history = historyOf(1000);
  for (let at = 0; at < 40; at += 1) await history.add(`text ${at}`, 't');
  expect(statSync(file()).size).toBeLessThanOrEqual(1000);
  const texts = await history.recent(100);
  expect(texts[0]).toBe('text 39');
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.length).toBeLessThan(30);
  await historyOf(10).add('longer than ten bytes', 't');
  expect(await history.recent(100)).toEqual(['longer than ten bytes']);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
});

test('a home that cannot be written to is no error', async () => {
  writeFileSync(join(home, 'plain'), '');
  const history = openPromptHistory({ home: join(home, 'plain'), maxBytes: null, now: Date.now });
  await history.add('text', 't');
  expect(await history.recent(1)).toEqual([]);
  expect(existsSync(join(home, 'plain', 'history.jsonl'))).toBe(false);
});

test('only the end of a large file is read', async () => {
  const line = `${JSON.stringify({ session_id: 'x', ts: 1, text: 'y'.repeat(1_000_000) })}\n`;
  for (let at = 0; at < 10; at += 1) appendFileSync(file(), line);
  const history = historyOf();
  await history.add('new', 't');
  // The texts are the same, so they are one.
  expect((await history.recent(100)).map(({ length }) => length)).toEqual([3, 1_000_000]);
});
