import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { archiveThread, unarchiveThread } from './archive-thread.ts';
import { deleteThread } from './delete-thread.ts';
import { findLastThread, findRollout } from './find-rollout.ts';
import { lockThread } from './lock.ts';
import { resolveThread } from './resolve-thread.ts';
import { lineText, metaLine, testHome, writeRollout } from './test-rollouts.ts';
import { addName, readNames } from './thread-names.ts';

const FIRST = '01a1dfaa-5614-7981-86ac-d217a2d75c00';
const SECOND = '01a1dfaa-5790-7e02-912d-8021d8c0bac0';

function twoThreads(): string {
  const home = testHome();
  for (const id of [FIRST, SECOND]) writeRollout(home, id, lineText(metaLine(id)));
  return home;
}

test('a thread is found by its id, the beginning of it, and its name', async () => {
  const home = twoThreads();
  addName(home, SECOND, 'the other', 0);
  for (const reference of [FIRST, FIRST.slice(0, 11)]) {
    expect(await resolveThread(home, reference)).toMatchObject({ id: FIRST, archived: false, day: '2026-01-02' });
  }
  expect(await resolveThread(home, 'the other')).toMatchObject({ id: SECOND });
});

test('what may be several threads is answered with them, what is none with that', async () => {
  const home = twoThreads();
  addName(home, FIRST, 'dup', 0);
  addName(home, SECOND, 'dup', 0);
  await expect(resolveThread(home, '01a1')).rejects.toThrow(
    `01a1 may be several threads: ${SECOND} (dup), ${FIRST} (dup). Give more of the id.`,
  );
  await expect(resolveThread(home, 'dup')).rejects.toThrow(`dup may be several threads: ${SECOND}, ${FIRST}.`);
  for (const reference of ['01a', 'du', '', 'x', `${FIRST}0`, '5614']) {
    await expect(resolveThread(home, reference)).rejects.toThrow(`There is no thread ${reference} in ${home}.`);
  }
});

test('an id is not taken for the end of another one', async () => {
  const home = testHome();
  writeRollout(home, 'long-one', lineText(metaLine('long-one')));
  expect(await findRollout(home, 'one')).toBeUndefined();
  expect(await findRollout(home, 'long-one')).toMatch(/long-one\.jsonl$/);
});

test('the archive is a folder beside, and the way back leads to the day', async () => {
  const home = twoThreads();
  const file = await resolveThread(home, FIRST);
  const archived = archiveThread(home, file);
  expect(archived).toBe(join(home, 'archived_sessions', basename(file.path)));
  expect(existsSync(file.path)).toBe(false);
  expect(await findRollout(home, FIRST)).toBeUndefined();
  const away = await resolveThread(home, FIRST);
  expect(away).toMatchObject({ path: archived, archived: true });
  expect(() => archiveThread(home, away)).toThrow(`The thread ${FIRST} is archived already.`);
  expect(unarchiveThread(home, away)).toBe(file.path);
  expect(() => unarchiveThread(home, file)).toThrow(`The thread ${FIRST} is not archived.`);
});

test('a file that is there already is not written over', async () => {
  const home = twoThreads();
  const file = await resolveThread(home, FIRST);
  mkdirSync(join(home, 'archived_sessions'));
  symlinkSync(file.path, join(home, 'archived_sessions', basename(file.path)));
  expect(() => archiveThread(home, file)).toThrow('there is a');
  expect(existsSync(file.path)).toBe(true);
});

test('a deleted thread is gone with its name, wherever it was', async () => {
  const home = twoThreads();
  addName(home, FIRST, 'one', 0);
  addName(home, SECOND, 'two', 0);
  archiveThread(home, await resolveThread(home, FIRST));
  await deleteThread(home, await resolveThread(home, 'one'));
  await expect(resolveThread(home, FIRST)).rejects.toThrow('There is no thread');
  expect(readNames(home)).toEqual(new Map([[SECOND, 'two']]));
});

test('a thread that forks still read is not deleted', async () => {
  const home = twoThreads();
  const pointer = metaLine('child', { forked_from_id: FIRST, forked_from_ordinal_exclusive: 3 });
  const child = writeRollout(home, 'child', lineText(pointer, 3), '2026-01-03T00-00-00');
  mkdirSync(join(home, 'archived_sessions'));
  renameSync(child, join(home, 'archived_sessions', basename(child)));
  const file = await resolveThread(home, FIRST);
  await expect(deleteThread(home, file)).rejects.toThrow('its forks still read it (child)');
  await deleteThread(home, await resolveThread(home, 'child'));
  await deleteThread(home, file);
  expect(existsSync(file.path)).toBe(false);
});

test('a thread that a process has open stays where it is', async () => {
  const home = twoThreads();
  const file = await resolveThread(home, FIRST);
  const release = lockThread({ home, id: FIRST, path: file.path, now: Date.now(), onNote: expect.fail });
  expect(() => archiveThread(home, file)).toThrow(`is open in the process ${process.pid}`);
  await expect(deleteThread(home, file)).rejects.toThrow('is open in the process');
  release();
  await deleteThread(home, file);
});

test('the last thread is the newest one of the folder that can be read', async () => {
  const home = twoThreads();
  writeRollout(home, 'broken', '{', '2026-02-01T00-00-00');
  writeRollout(home, 'elsewhere', lineText(metaLine('elsewhere', { cwd: '/else' })), '2026-01-09T00-00-00');
  expect(await findLastThread(home, '/work')).toBe(SECOND);
  expect(await findLastThread(home, null)).toBe('elsewhere');
  expect(await findLastThread(home, '/nowhere')).toBeUndefined();
  expect(readFileSync((await resolveThread(home, 'broken')).path, 'utf8')).toBe('{');
});
