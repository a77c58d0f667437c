import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { lineText, metaLine, said } from '../log/test-lines.ts';
import { readNames } from './catalogue/thread-names.ts';
import { lockThread } from './lock/lock.ts';
import { testHome, testStore, writeThread } from './test-rollouts.ts';

const FIRST = '01a1dfaa-5614-7981-86ac-d217a2d75c00';
const SECOND = '01a1dfaa-5790-7e02-912d-8021d8c0bac0';

function twoThreads() {
  const home = testHome();
  const [first = '', second = ''] = [FIRST, SECOND].map((id) => writeThread(home, id, lineText(metaLine(id))));
  return { home, store: testStore(home), first, second };
}

test('a thread is found by its id, the first characters of its id, and its name', async () => {
  const { store } = twoThreads();
  await store.rename(SECOND, 'the other');
  for (const reference of [FIRST, FIRST.slice(0, 11)]) {
    expect(await store.find(reference)).toEqual({ id: FIRST, archived: false });
  }
  expect(await store.find('the other')).toEqual({ id: SECOND, archived: false });
});

test('a reference that fits several threads fails with their ids, and one that fits none fails too', async () => {
  const { home, store } = twoThreads();
  await store.rename(FIRST, 'dup');
  await store.rename(SECOND, 'dup');
  await expect(store.find('01a1')).rejects.toThrow(
    `01a1 may be several threads: ${SECOND} (dup), ${FIRST} (dup). Give more of the id.`,
  );
  await expect(store.find('dup')).rejects.toThrow(`dup may be several threads: ${SECOND}, ${FIRST}.`);
  for (const reference of ['01a', 'du', '', 'x', `${FIRST}0`, '5614']) {
    await expect(store.find(reference)).rejects.toThrow(`There is no thread ${reference} in ${home}.`);
  }
});

test('an id does not match the end of another id', async () => {
  const home = testHome();
  const path = writeThread(home, 'long-one', lineText(metaLine('long-one')));
  await expect(testStore(home).describe('one')).rejects.toThrow('There is no thread one');
  expect(await testStore(home).describe('long-one')).toMatchObject({ path });
});

test('archived threads lie in a folder of their own, and return to the folder of their day', async () => {
  const { home, store, first } = twoThreads();
  await store.archive(FIRST);
  const archived = join(home, 'archived_sessions', basename(first));
  expect(existsSync(first)).toBe(false);
  expect(await store.describe(FIRST)).toMatchObject({ path: archived, archived: true });
  await expect(store.archive(FIRST)).rejects.toThrow(`The thread ${FIRST} is archived already.`);
  await expect(store.take(FIRST)).rejects.toThrow(`The thread ${FIRST} is archived.`);
  await store.unarchive(FIRST);
  expect(existsSync(first)).toBe(true);
  await expect(store.unarchive(FIRST)).rejects.toThrow(`The thread ${FIRST} is not archived.`);
});

test('an existing file is not overwritten', async () => {
  const { home, store, first } = twoThreads();
  mkdirSync(join(home, 'archived_sessions'));
  symlinkSync(first, join(home, 'archived_sessions', basename(first)));
  await expect(store.archive(FIRST)).rejects.toThrow('there is a');
  expect(existsSync(first)).toBe(true);
});

test('a deleted thread is gone with its name, archived or not', async () => {
  const { home, store } = twoThreads();
  await store.rename(FIRST, 'one');
  await store.rename(SECOND, 'two');
  await store.archive(FIRST);
  await store.delete(FIRST);
  await expect(store.find(FIRST)).rejects.toThrow('There is no thread');
  expect(readNames(home)).toEqual(new Map([[SECOND, 'two']]));
});

test('a thread that forks still point to is not deleted', async () => {
  const { home, store, first } = twoThreads();
  const pointer = metaLine('child', { forked_from_id: FIRST, forked_from_ordinal_exclusive: 3 });
  const child = writeThread(home, 'child', lineText(pointer, 3), '2026-01-03T00-00-00');
  mkdirSync(join(home, 'archived_sessions'));
  renameSync(child, join(home, 'archived_sessions', basename(child)));
  await expect(store.delete(FIRST)).rejects.toThrow('its forks still read it (child)');
  await store.delete('child');
  await store.delete(FIRST);
  expect(existsSync(first)).toBe(false);
});

test('a thread that a process has open is neither archived nor deleted', async () => {
  const { home, store, first } = twoThreads();
  const lock = lockThread({ home, id: FIRST, path: first, now: Date.now(), onNote: expect.fail });
  expect(await store.holder(FIRST)).toEqual({ label: `process ${process.pid}` });
  await expect(store.archive(FIRST)).rejects.toThrow(`is open in the process ${process.pid}`);
  await expect(store.delete(FIRST)).rejects.toThrow('is open in the process');
  lock.release();
  expect(await store.holder(FIRST)).toBeNull();
  await store.delete(FIRST);
});

test('the last thread is the newest readable one of the folder', async () => {
  const { home, store } = twoThreads();
  const broken = writeThread(home, 'broken', '{', '2026-02-01T00-00-00');
  writeThread(home, 'elsewhere', lineText(metaLine('elsewhere', { cwd: '/else' })), '2026-01-09T00-00-00');
  expect(await store.last('/work')).toBe(SECOND);
  expect(await store.last(null)).toBe('elsewhere');
  expect(await store.last('/nowhere')).toBeNull();
  expect(readFileSync(broken, 'utf8')).toBe('{');
});

test('a new thread is neither looked for nor stored before its first line', async () => {
  const home = testHome();
  const log = testStore(home, () => Date.UTC(2026, 10, 5, 7, 8, 9)).create('the-id');
  expect(readdirSync(home)).toEqual([]);
  expect(log.path).toBe(`${home}/sessions/2026/11/05/rollout-2026-11-05T07-08-09-the-id.jsonl`);
  await log.append([said('hello')]);
  expect(existsSync(log.path ?? '')).toBe(true);
  await log.close();
});
