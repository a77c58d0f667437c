import { execFileSync, spawn } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { ownMark, type ProcessMark } from '../../machine/process-mark.ts';
import { lockHolder, lockThread } from './lock.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const notes: string[] = [];
const take = (id = 'one', now = Date.now()) =>
  lockThread({ home, id, path: join(home, 'rollout'), now, onNote: (note) => notes.push(note) });
const place = (id = 'one') => join(home, 'thread-locks', id);

function leave(mark: Partial<ProcessMark> | string, id = 'one'): void {
  mkdirSync(join(home, 'thread-locks'), { recursive: true });
  symlinkSync(typeof mark === 'string' ? mark : JSON.stringify({ ...ownMark(), nonce: 'old', ...mark }), place(id));
}

test('a thread that is open cannot be opened again until it is closed', () => {
  const { release } = take();
  expect(() => take()).toThrow('The thread one is open in this process already.');
  expect(lockHolder(home, 'one')).toEqual({ pid: process.pid });
  take('two').release();
  release();
  expect(lockHolder(home, 'one')).toBeUndefined();
  take().release();
  expect(readdirSync(join(home, 'thread-locks'))).toEqual([]);
});

test('the error names a live process and says what to do', async () => {
  const other = spawn('sleep', ['60']);
  onTestFinished(() => {
    other.kill();
  });
  const pid = other.pid ?? 0;
  leave({ pid, start: startOf(pid) });
  expect(() => take()).toThrow(
    `The thread one is open in process ${pid}. Wait until that has ended, or go on in a copy of it.`,
  );
});

test('the lock of an ended process is taken over, also if another process has its number now', () => {
  const pid = Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
  leave({ pid, start: '1' });
  take().release();
  leave({ pid: process.pid, start: '1' });
  take().release();
  leave({ boot: 'before the machine was started again' });
  take().release();
  expect(readdirSync(join(home, 'thread-locks'))).toEqual([]);
});

test('a process that is not visible from here counts as alive for a while', () => {
  for (const mark of [{ space: 'pid:[1]' }, { boot: 'other', host: 'other' }, 'no mark at all']) {
    leave(mark);
    expect(() => take()).toThrow('cannot be seen from here');
    expect(lockHolder(home, 'one')?.pid).toBe(typeof mark === 'string' ? undefined : process.pid);
    const { release } = take('one', Date.now() + 11 * 60_000);
    expect(notes.pop()).toContain('no sign of life for a while');
    release();
  }
});

test('an unfinished take-over of a dead process is taken over too', () => {
  const dead = { pid: 999_999_999, start: '1' };
  leave({ ...dead });
  leave({ ...dead }, 'one.after-old');
  leave('what is left of a draft', 'one.after-old.draft');
  take().release();
  expect(readdirSync(join(home, 'thread-locks'))).toEqual([]);
});

test('a thread is used without a lock if none can be made', () => {
  writeFileSync(join(home, 'thread-locks'), 'in the way');
  take().release();
  expect(take().renew(Date.now(), () => false)).toBeUndefined();
  expect(lstatSync(join(home, 'thread-locks')).isFile()).toBe(true);
});

test('a lock that another process took over is noticed, and not removed', () => {
  const lock = take();
  expect(lock.renew(Date.now(), () => false)).toBeUndefined();
  rmSync(place());
  leave({ pid: 1, host: 'elsewhere' });
  expect(lock.renew(Date.now(), () => true)).toBe('process 1 of elsewhere');
  lock.release();
  expect(JSON.parse(readlinkSync(place())).pid).toBe(1);
});

test('renewing a lock shows that its process is alive, and makes a removed lock again if no other process used the thread', () => {
  const lock = take();
  const later = Date.now() + 60 * 60_000;
  lock.renew(later, () => true);
  expect(lstatSync(place()).mtimeMs).toBeCloseTo(later, -1);
  rmSync(place());
  expect(lock.renew(later, () => false)).toBe('another process');
  expect(lock.renew(later, () => true)).toBeUndefined();
  expect(JSON.parse(readlinkSync(place())).pid).toBe(process.pid);
  lock.release();
});

function startOf(pid: number): string {
  const stat = execFileSync('cat', [`/proc/${pid}/stat`], { encoding: 'utf8' });
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
