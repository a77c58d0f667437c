import { close, constants, openSync, write, writeSync } from 'node:fs';

/** Writes to a terminal without ever waiting for it. */
export interface TerminalWriter {
  /**
   * Writes a text after those before it. Calls back when the system took it, or when the terminal is gone, which also ends
   * every later write.
   */
  write(text: string, done: () => void): void;
  /** Whether the terminal is gone: its window was closed. */
  readonly isGone: boolean;
  /** Lets go of the terminal. Texts that the system did not take are dropped, and their callbacks are not called. */
  close(): void;
}

/** Time until a terminal that takes nothing is tried again. */
const RETRY_MS = 10;

/**
 * Creates a writer for a terminal, with one write in flight. A stream of Node writes to a terminal synchronously, so a
 * terminal that does not read would stop the whole process. The writer opens the terminal a second time, so that only its
 * own descriptor returns at once when the terminal is full.
 */
export function createTerminalWriter(descriptor: number): TerminalWriter {
  const own = openAgain(descriptor);
  const send = own === undefined ? write : writeAtOnce;
  const state: State = {
    descriptor: own ?? descriptor,
    send,
    queue: [],
    isBusy: false,
    isGone: false,
    retry: undefined,
  };
  return {
    write(text, done) {
      state.queue.push({ bytes: Buffer.from(text), done });
      if (!state.isBusy) writeNext(state);
    },
    get isGone() {
      return state.isGone;
    },
    close() {
      state.queue.length = 0;
      clearTimeout(state.retry);
      if (own !== undefined && !state.isClosed) close(own, () => undefined);
      state.isClosed = true;
    },
  };
}

/** Writes bytes and calls back later with an error, or with the number of those that the system took. */
type Send = (
  descriptor: number,
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null, count: number) => void,
) => void;

interface State {
  readonly descriptor: number;
  readonly send: Send;
  readonly queue: { bytes: Buffer; readonly done: () => void }[];
  isBusy: boolean;
  isGone: boolean;
  isClosed?: boolean;
  retry: NodeJS.Timeout | undefined;
}

/** Opens the terminal behind a descriptor; undefined where the system does not offer that. */
function openAgain(descriptor: number): number | undefined {
  for (const path of [`/proc/self/fd/${descriptor}`, '/dev/tty']) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      // The next path, or the descriptor itself, whose writes wait in a thread.
    }
  }
  return undefined;
}

function writeNext(state: State): void {
  const first = state.queue[0];
  state.isBusy = first !== undefined;
  if (first === undefined) return;
  if (state.isGone) {
    endFirst(state, first.done);
    return;
  }
  state.send(state.descriptor, first.bytes, (error, count) => {
    if (state.isClosed) return;
    if (error?.code === 'EAGAIN' || error?.code === 'EINTR') {
      state.retry = setTimeout(() => {
        // The timer would keep these bytes until the next wait.
        state.retry = undefined;
        writeNext(state);
      }, RETRY_MS);
      return;
    }
    if (error) state.isGone = true;
    first.bytes = first.bytes.subarray(count);
    if (error || first.bytes.length === 0) endFirst(state, first.done);
    else writeNext(state);
  });
}

/** Writes to a descriptor that never waits. The way through another thread would take longer than the write. */
const writeAtOnce: Send = (descriptor, bytes, done) => {
  let error: NodeJS.ErrnoException | null = null;
  let count = 0;
  try {
    count = writeSync(descriptor, bytes);
  } catch (caught) {
    error = caught as NodeJS.ErrnoException;
  }
  queueMicrotask(() => done(error, count));
};

function endFirst(state: State, done: () => void): void {
  state.queue.shift();
  done();
  writeNext(state);
}
