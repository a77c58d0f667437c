import type { CodexMessage } from './codex-message.ts';

/** Messages of a call that wait to be sent to its client, in their order. */
export interface Outbox {
  push(message: CodexMessage): void;
  /** Returns the next message, or undefined if none waits. */
  shift(): CodexMessage | undefined;
  /** Resolves when a message was pushed, `wake` was called, or the outbox is closed. */
  changed(): Promise<void>;
  wake(): void;
  /** Drops all messages, and those to come. */
  discard(): void;
  readonly isEmpty: boolean;
}

/** Size of waiting messages above which deltas are dropped. Later messages have the whole texts. */
const MOST_WITH_DELTAS = 1024 * 1024;

/** Size of waiting messages that a client may leave unread. */
const MOST_WAITING = 16 * 1024 * 1024;

/**
 * Returns an empty outbox. The writer never waits, so a client that does not read is bounded here: `onFull` is called once
 * when too much waits, and everything that waits is dropped.
 */
export function createOutbox(onFull: (megabytes: number) => void): Outbox {
  let waiting: { readonly message: CodexMessage; readonly size: number }[] = [];
  let size = 0;
  let discards = false;
  let listeners: (() => void)[] = [];

  function wake(): void {
    const called = listeners;
    listeners = [];
    for (const listener of called) listener();
  }

  function discard(): void {
    discards = true;
    waiting = [];
    size = 0;
    wake();
  }

  return {
    push(message) {
      if (discards || (size > MOST_WITH_DELTAS && message.type.endsWith('_delta'))) return;
      const own = JSON.stringify(message).length;
      waiting.push({ message, size: own });
      size += own;
      wake();
      if (size <= MOST_WAITING) return;
      discard();
      onFull(MOST_WAITING / 1024 / 1024);
    },
    shift() {
      const next = waiting.shift();
      if (next === undefined) return undefined;
      size -= next.size;
      return next.message;
    },
    changed: () => new Promise((resolve) => listeners.push(resolve)),
    wake,
    discard,
    get isEmpty() {
      return waiting.length === 0;
    },
  };
}
