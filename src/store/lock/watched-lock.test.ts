import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LostThread } from '../../base/errors.ts';
import { ownMark } from '../../machine/process-mark.ts';
import { testHome } from '../test-rollouts.ts';
import { createWatchedLock } from './watched-lock.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function takeLock(isUntouched = () => true) {
  const home = testHome();
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const path = join(home, 'rollout');
  const lock = createWatchedLock({ home, id: 'one', path, now, isUntouched, onNote: expect.fail });
  lock.take();
  lock.check();
  return {
    lock,
    home,
    wait(ms: number) {
      ahead += ms;
      vi.advanceTimersByTime(ms);
    },
    /** Another process takes the lock. */
    steal() {
      rmSync(join(home, 'thread-locks/one'));
      symlinkSync(JSON.stringify({ ...ownMark(), pid: 1, start: '1' }), join(home, 'thread-locks/one'));
    },
  };
}

test('the loss of a lock is noticed without a write', () => {
  const { lock, wait, steal } = takeLock();
  wait(20_000);
  expect(lock.lost.aborted).toBe(false);
  steal();
  wait(6000);
  expect(lock.lost.reason).toBeInstanceOf(LostThread);
  expect(() => lock.check()).toThrow('The thread one was taken over by process 1 of ');
  lock.release();
});

test('a resting lock is not looked at until the next line', () => {
  const { lock, wait, steal } = takeLock();
  lock.rest();
  steal();
  wait(60_000);
  expect(lock.lost.aborted).toBe(false);
  expect(() => lock.check()).toThrow(LostThread);
  expect(lock.lost.aborted).toBe(true);
  lock.release();
});

test('a lock that another process took and released is lost', () => {
  let untouched = true;
  const { lock, home, wait } = takeLock(() => untouched);
  const folder = join(home, 'thread-locks');
  rmSync(join(folder, 'one'));
  wait(6000);
  expect(lock.lost.aborted).toBe(false);
  expect(readdirSync(folder)).toEqual(['one']);
  rmSync(join(folder, 'one'));
  untouched = false;
  wait(6000);
  expect(() => lock.check()).toThrow('The thread one was taken over by another process.');
  lock.release();
});

test('a home that became read-only loses no lock', () => {
  const { lock, home, wait } = takeLock();
  rmSync(join(home, 'thread-locks'), { recursive: true });
  writeFileSync(join(home, 'thread-locks'), 'in the way');
  wait(6000);
  lock.check();
  expect(lock.lost.aborted).toBe(false);
  lock.release();
});
