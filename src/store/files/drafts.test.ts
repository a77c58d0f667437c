import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryDrafts, type Draft, openDrafts } from './drafts.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'oxbow-drafts-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const folder = () => join(home, 'drafts');
const open = () => openDrafts(home, Date.now);
const draft = (text: string): Draft => ({ text, folds: [{ kind: 'paste', start: 0, end: 1, text: 'long' }] });
const THREAD = { thread: '0199-a' };

test.each([
  ['in the home', () => open()],
  ['in memory', () => createMemoryDrafts()],
])('drafts %s', async (_, make) => {
  const drafts = make();
  expect(await drafts.read(THREAD)).toBeNull();
  await drafts.write(THREAD, draft('a'));
  await drafts.write({ folder: '/srv/project' }, draft('b'));
  expect(await drafts.read(THREAD)).toEqual(draft('a'));
  expect(await drafts.read({ folder: '/srv/project' })).toEqual(draft('b'));
  expect(await drafts.read({ folder: '/srv/other' })).toBeNull();
  drafts.writeSync(THREAD, draft('c'));
  expect(await drafts.read(THREAD)).toEqual(draft('c'));
  await drafts.remove(THREAD);
  await drafts.remove(THREAD);
  expect(await drafts.read(THREAD)).toBeNull();
});

test('another process finds them, and only the user can read them', async () => {
  await open().write(THREAD, draft('a'));
  expect(await open().read(THREAD)).toEqual(draft('a'));
  const [name = ''] = readdirSync(folder());
  expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder()).mode & 0o777).toBe(0o700);
});

test('the draft that is written last wins, also over one that is still being written', async () => {
  const drafts = open();
  const writing = [1, 2, 3].map((number) => drafts.write(THREAD, draft(`${number}${'x'.repeat(1_000_000)}`)));
  drafts.writeSync(THREAD, draft('signal'));
  await Promise.all(writing);
  expect(await drafts.read(THREAD)).toEqual(draft('signal'));
  const removed = drafts.write(THREAD, draft('sent'));
  await drafts.remove(THREAD);
  await removed;
  expect(await drafts.read(THREAD)).toBeNull();
  expect(readdirSync(folder())).toEqual([]);
});

test('an id that looks like a path stays in the folder', async () => {
  await open().write({ thread: '../../escape' }, draft('a'));
  expect(readdirSync(home)).toEqual(['drafts']);
});

test('a damaged draft is none', async () => {
  const drafts = open();
  await drafts.write(THREAD, draft('a'));
  const [name = ''] = readdirSync(folder());
  writeFileSync(join(folder(), name), '{"text":');
  expect(await drafts.read(THREAD)).toBeNull();
  writeFileSync(join(folder(), name), '{"text":"a","folds":[{"kind":"paste","start":0}]}');
  expect(await drafts.read(THREAD)).toEqual({ text: 'a', folds: [] });
});

test('drafts of 30 days ago are removed', async () => {
  await open().write(THREAD, draft('old'));
  await open().write({ folder: '/a' }, draft('new'));
  const old = readdirSync(folder()).find((name) => readFileSync(join(folder(), name), 'utf8').includes('"old"')) ?? '';
  const then = (Date.now() - 31 * 24 * 60 * 60 * 1000) / 1000;
  utimesSync(join(folder(), old), then, then);
  expect(await open().read(THREAD)).toBeNull();
  expect(await open().read({ folder: '/a' })).toEqual(draft('new'));
});
