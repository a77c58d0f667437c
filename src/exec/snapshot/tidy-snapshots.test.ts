import { existsSync, readdirSync, readFileSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createSnapshotScene, type SnapshotScene } from './test-snapshots.ts';
import { type TidyOptions, tidySnapshots } from './tidy-snapshots.ts';

const open: SnapshotScene[] = [];
function scene(): SnapshotScene {
  const made = createSnapshotScene();
  open.push(made);
  return made;
}
afterEach(() => {
  for (const one of open.splice(0)) one.dispose();
});

const DAY = 86_400_000;

const tidy = ({ home }: SnapshotScene, more: Partial<TidyOptions> = {}) =>
  tidySnapshots({ home, keepDays: 30, hasThread: async () => true, now: Date.now, timeoutMs: 60_000, ...more });

const placeIn = ({ home }: SnapshotScene) => join(home, 'snapshots', readdirSync(join(home, 'snapshots'))[0] ?? '');

function contents(s: SnapshotScene): string {
  const objects = join(placeIn(s), 'objects');
  const names = readdirSync(objects, { recursive: true, encoding: 'utf8' }).filter((name) => name.length > 3);
  return names.map((name) => readFileSync(join(objects, name), 'utf8')).join('\n');
}

/** Takes two snapshots for different threads that share a file. */
async function twoThreads(s: SnapshotScene): Promise<{ gone: string; here: string }> {
  writeFileSync(s.at('both'), 'shared');
  writeFileSync(s.at('a'), 'only of the first');
  const gone = await s.keep({ thread: 'gone' });
  unlinkSync(s.at('a'));
  writeFileSync(s.at('b'), 'only of the second');
  const here = await s.keep({ thread: 'here' });
  return { gone: gone.name, here: here.name };
}

const later = () => Date.now() + 2 * DAY;
const onlyHere = { hasThread: async (id: string) => id === 'here', now: later };

test('snapshots of deleted threads are removed, with the bytes that no other snapshot needs', async () => {
  const s = scene();
  const { gone, here } = await twoThreads(s);
  await tidy(s, onlyHere);
  expect(contents(s)).toContain('shared');
  expect(contents(s)).toContain('only of the second');
  expect(contents(s)).not.toContain('only of the first');
  await expect(s.restore(gone)).rejects.toThrow(/missing/);
  unlinkSync(s.at('both'));
  await s.restore(here);
  expect(readFileSync(s.at('both'), 'utf8')).toBe('shared');
});

test('removed bytes are stored again when a snapshot needs them', async () => {
  const s = scene();
  const { gone } = await twoThreads(s);
  await tidy(s, onlyHere);
  unlinkSync(s.at('b'));
  writeFileSync(s.at('a'), 'only of the first');
  expect((await s.keep()).name).toBe(gone);
  unlinkSync(s.at('a'));
  expect((await s.restore(gone)).failed).toEqual([]);
  expect(readFileSync(s.at('a'), 'utf8')).toBe('only of the first');
});

test('old snapshots are removed, and the folder of a workspace with the last of them', async () => {
  const s = scene();
  await twoThreads(s);
  await tidy(s, { now: () => Date.now() + 29 * DAY });
  expect(contents(s)).toContain('only of the first');
  await tidy(s, { now: () => Date.now() + 31 * DAY });
  expect(readdirSync(join(s.home, 'snapshots'))).toEqual([]);
});

test('a cleanup runs once a day, and never while the store is locked', async () => {
  const s = scene();
  await twoThreads(s);
  await tidy(s);
  await tidy(s, { hasThread: async () => false });
  expect(contents(s)).toContain('shared');
  const lock = join(placeIn(s), 'lock');
  writeFileSync(lock, JSON.stringify({ pid: process.pid, host: 'another', token: 'x' }));
  const soon = new Date(later());
  utimesSync(lock, soon, soon);
  await tidy(s, { hasThread: async () => false, now: later });
  expect(contents(s)).toContain('shared');
  rmSync(lock);
  await tidy(s, { hasThread: async () => false, now: later });
  expect(existsSync(join(s.home, 'snapshots'))).toBe(true);
  expect(readdirSync(join(s.home, 'snapshots'))).toEqual([]);
});

test('recently written bytes stay, since they may belong to an unfinished snapshot', async () => {
  const s = scene();
  await twoThreads(s);
  await tidy(s, { hasThread: async () => false });
  expect(contents(s)).toContain('shared');
});

test('a cleanup that runs out of time deletes nothing that is needed', async () => {
  const s = scene();
  const { here } = await twoThreads(s);
  await tidy(s, { ...onlyHere, timeoutMs: 0 });
  expect((await s.restore(here, { dryRun: true })).steps).toEqual([]);
});
