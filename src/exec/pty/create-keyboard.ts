import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolFailure } from '../../base/errors.ts';

/** How much may wait for a process that does not read. */
const WAITING_LIMIT = 1024 * 1024;
const PAUSE_MS = 10;
/** How long a process that does not read is waited for. What it has not taken by then goes on waiting. */
const PATIENCE_MS = 1000;

/**
 * Types into a terminal, in the order of the calls. Written at once and in small steps: a stream would stop everything while
 * the process does not read.
 */
export function createKeyboard(descriptor: number, isOpen: () => boolean): (chars: string) => Promise<void> {
  let waiting = Buffer.alloc(0);
  let emptying: Promise<void> | undefined;

  function put(): void {
    try {
      while (waiting.length > 0) waiting = waiting.subarray(writeSync(descriptor, waiting));
    } catch (error) {
      // The process has ended: nobody is left to read it.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') waiting = Buffer.alloc(0);
    }
  }

  async function empty(): Promise<void> {
    while (waiting.length > 0) {
      await delay(PAUSE_MS, undefined, { ref: false });
      // Its number may be another's by now.
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
