import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../base/errors.ts';
import { lockThread, type ThreadLock } from './lock.ts';

/** Time that a process waits for another one to change a file, which may include a request to a server. */
const WAIT_MS = 60_000;
const PAUSE_MS = 25;

export interface WantedLock {
  readonly home: string;
  /** Name of the lock. */
  readonly id: string;
  /** File that the lock protects. */
  readonly path: string;
}

/** Takes a lock on a file of the home, after other processes that have it. Throws `UserError` after a minute. */
export async function waitForLock(wanted: WantedLock): Promise<ThreadLock> {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return lockThread({ ...wanted, now: Date.now(), onNote() {} });
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'in_use') throw error;
      if (Date.now() > end)
        throw new UserError('in_use', `Another process has been changing ${wanted.path} for a minute. Try again.`);
    }
    await delay(PAUSE_MS);
  }
}
