import { LostThread } from '../../base/errors.ts';
import { type LockOptions, lockThread, type ThreadLock } from './lock.ts';

/** A lock that notices when another process has taken it. */
export interface WatchedLock {
  readonly isTaken: boolean;
  /** Takes the lock. Throws `UserError` if another process has it. */
  take(): void;
  /**
   * Throws `LostThread` if another process has taken the lock since. Looks only from time to time, also without further
   * calls, until `rest`.
   */
  check(): void;
  /** Does the same as `check`, but always looks. */
  checkNow(): void;
  /** Aborts when another process has taken the lock. */
  readonly lost: AbortSignal;
  rest(): void;
  release(): void;
}

export interface WatchedLockOptions extends Omit<LockOptions, 'now'> {
  now(): number;
  /** Reports whether the thread is as this process left it. */
  isUntouched(): boolean;
}

/**
 * An invisible process keeps its lock for minutes after its last sign of life, so a look every few seconds is enough.
 */
const LOOK_MS = 5000;

export function createWatchedLock({ now, isUntouched, ...options }: WatchedLockOptions): WatchedLock {
  const lost = new AbortController();
  let lock: ThreadLock | undefined;
  let watch: NodeJS.Timeout | undefined;
  let lookedAt: number | undefined;

  function look(): void {
    lookedAt = now();
    const rival = lost.signal.aborted ? undefined : lock?.renew(lookedAt, isUntouched);
    if (rival !== undefined) lost.abort(new LostThread(lostText(options.id, rival)));
  }

  function rest(): void {
    clearInterval(watch);
    watch = undefined;
    lookedAt = undefined;
  }

  return {
    lost: lost.signal,
    get isTaken() {
      return lock !== undefined;
    },
    take() {
      lock ??= lockThread({ ...options, now: now() });
      lookedAt = now();
    },
    check() {
      watch ??= setInterval(look, LOOK_MS).unref();
      if (lookedAt === undefined || Math.abs(now() - lookedAt) >= LOOK_MS) look();
      lost.signal.throwIfAborted();
    },
    checkNow() {
      look();
      lost.signal.throwIfAborted();
    },
    rest,
    release() {
      rest();
      lock?.release();
      lock = undefined;
    },
  };
}

function lostText(id: string, rival: string): string {
  return `The thread ${id} was taken over by ${rival}. Nothing more is written to it from here; it can be resumed once it is free.`;
}
