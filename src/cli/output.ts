/** Standard output of a command. */
export interface CommandOutput {
  write(text: string): void;
  /** Resolves to true when everything was handed to the system, or to false when the reader stopped reading before. */
  end(): Promise<boolean>;
}

/**
 * Returns standard output, written at the end of each round of the event loop: many lines in one write, and nothing
 * before the first request is on its way. `onClosed` is called when the reader stops reading. Later output is dropped.
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
    if (error.code !== 'EPIPE') throw error;
    closed = true;
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
