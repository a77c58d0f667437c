import type { Readable, Writable } from 'node:stream';

/**
 * Starts a program where the commands of an agent run, and connects its standard streams to pipes. The argv is to be
 * passed on word by word: `docker exec -i` does that as it is, `ssh` needs `quoteArgv`.
 *
 * @example
 * const exec: Exec = (argv) => spawn('docker', ['exec', '-i', 'my-container', ...argv]);
 */
export type Exec = (argv: readonly string[]) => ExecProcess | Promise<ExecProcess>;

/** A process as Node's `spawn` returns it. */
export interface ExecProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Calls back when the process could not be started. */
  once(event: 'error', listener: (error: Error) => void): unknown;
  /** Calls back when the process has ended and its streams are closed. */
  once(event: 'close', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  /** Ends the process on this side of the connection. */
  kill(signal: NodeJS.Signals): unknown;
}
