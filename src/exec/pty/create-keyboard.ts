import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolFailure } from '../../base/errors.ts';

/** Most bytes that wait for a process that does not read. */
const WAITING_LIMIT = 1024 * 1024;
const PAUSE_MS = 10;
/** Longest wait for a process that does not read. Later bytes stay queued. */
const PATIENCE_MS = 1000;

/**
 * Returns a function that types into a terminal, in the order of the calls. It writes without blocking, in small steps:
 * a stream would block our process while the other process does not read.
 */
export function createKeyboard(descriptor: number, isOpen: () => boolean): (chars: string) => Promise<void> {
  let waiting = Buffer.alloc(0);
  let emptying: Promise<void> | undefined;

  function put(): void {
    try {
      while (waiting.length > 0) waiting = waiting.subarray(writeSync(descriptor, waiting));
    } catch (error) {
      // The process has ended, so the bytes have no reader.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') waiting = Buffer.alloc(0);
    }
  }

  async function empty(): Promise<void> {
    while (waiting.length > 0) {
      await delay(PAUSE_MS, undefined, { ref: false });
      // The descriptor may belong to something else by now.
      if (!isOpen()) waiting = Buffer.alloc(0);
      put();
    }
    emptying = undefined;
  }

  return async (chars) => {
    if (!isOpen()) return;
    const bytes = Buffer.from(chars);
    if (waiting.length + bytes.length > WAITING_LIMIT) throw new ToolFailure('execution', FULL);
    waiting = Buffer.concat([waiting, bytes]);
    if (emptying === undefined) put();
    if (waiting.length === 0) return;
    emptying ??= empty();
    await Promise.race([emptying, delay(PATIENCE_MS)]);
  };
}

const FULL =
  'the process does not read its input, and a megabyte of it is waiting already; interrupt it with "\\u0003" or wait until it reads';
