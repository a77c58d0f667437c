import { leaveTerminal } from '../node-internals/leave-terminal.ts';

/** Standard output of a command. */
export interface CommandOutput {
  write(text: string): void;
  /** Resolves to true when everything was handed to the system, or to false if that failed. */
  end(): Promise<boolean>;
}

/**
 * Returns standard output, written at the end of each round of the event loop: many lines in one write, and nothing
 * before the first request is on its way. `onClosed` is called when the reader stops reading, or when the output cannot be
 * written. Later output is dropped.
 */
export function createOutput(onClosed: () => void): CommandOutput {
  let pending = '';
  let closed = false;
  let listening = false;

  function flush(): void {
    const text = pending;
    pending = '';
    if (closed || text === '') return;
    if (!listening) process.stdout.on('error', fail);
    listening = true;
    process.stdout.write(text);
  }

  function fail(error: NodeJS.ErrnoException): void {
    closed = true;
    reportFailure(error);
    onClosed();
  }

  return {
    write(text) {
      if (pending === '') setImmediate(flush);
      pending += text;
    },
    async end() {
      flush();
      if (listening && !closed) await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
      return !closed;
    },
  };
}

/** Prints a short text on standard output. */
export function print(text: string): void {
  // Further texts fail for the same reason.
  if (process.stdout.listenerCount('error') === 0)
    process.stdout.once('error', reportFailure).on('error', () => undefined);
  process.stdout.write(text);
}

/** Reports that the output cannot be written, as on a full disk. A reader that has seen enough is not a failure. */
function reportFailure(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  // The terminal is gone, and standard error may be the same terminal.
  if (error.code === 'EIO') leaveTerminal();
  process.stderr.once('error', () => undefined);
  process.stderr.write(`oxbow: The output cannot be written (${error.message}). Make room, or write it elsewhere.\n`);
  // The command may end well otherwise, and sets its own exit code.
  process.once('exit', () => {
    process.exitCode ||= 1;
  });
}
