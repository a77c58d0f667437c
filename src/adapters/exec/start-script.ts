import { randomUUID } from 'node:crypto';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import type { Exec, ExecProcess } from './exec-process.ts';
import { markedScript, readMarked } from './marked-output.ts';

/** A script on the far side, for its `/bin/sh`. */
export interface FarScript {
  readonly script: string;
  readonly args: readonly string[];
}

export interface FarEvents {
  data(bytes: Uint8Array): void;
  /** Called once. `lost` says why, if the connection ended before the script. */
  exited(exitCode: number, lost?: string): void;
  /** Called when the connection is closed, if the script had begun. */
  closed(): void;
}

/** A script that runs on the far side. */
export interface FarProcess {
  /** Number of the process on the far side. */
  readonly pid: number;
  readonly connection: ExecProcess;
}

/** Code of a script whose connection ended before it, as `ssh` has it. */
const LOST_CODE = 255;
const MOST_ERRORS = 2000;

/** Starts a script on the far side. Throws `ToolFailure` if it does not begin. */
export async function startScript(exec: Exec, { script, args }: FarScript, events: FarEvents): Promise<FarProcess> {
  const token = randomUUID();
  let connection: ExecProcess;
  try {
    connection = await exec(['/bin/sh', '-c', markedScript(script), 'sh', token, ...args]);
  } catch (error) {
    throw notStarted(messageOf(error), error);
  }
  const { stdin, stdout, stderr } = connection;
  if (stdin === null || stdout === null) throw notStarted('`exec` has to connect stdin and stdout to pipes.');
  // A process that has ended reads nothing more. Its end is reported by 'close'.
  stdin.on('error', () => undefined);
  let errors = '';
  stderr?.on('data', (bytes: Buffer) => {
    errors = (errors + bytes.toString()).slice(-MOST_ERRORS);
  });
  return new Promise((resolve, reject) => {
    let state: 'starting' | 'running' | 'ended' = 'starting';
    const read = readMarked(token, {
      begun(pid) {
        state = 'running';
        resolve({ pid, connection });
      },
      data: events.data,
      ended(exitCode) {
        state = 'ended';
        stdin.end();
        events.exited(exitCode);
      },
    });
    stdout.on('data', read);
    function end(code: number | null, reason: string): void {
      if (state === 'starting') {
        reject(notStarted(reason));
        return;
      }
      if (state === 'running') events.exited(code || LOST_CODE, reason);
      state = 'ended';
      events.closed();
    }
    connection.once('error', (error) => end(null, messageOf(error)));
    connection.once('close', (code, signal) => end(code, errors.trim() || `it ended with ${signal ?? code}`));
  });
}

function notStarted(reason: string, cause?: unknown): ToolFailure {
  return new ToolFailure('execution', `The far side could not be reached: ${reason}`, { cause, effect: 'none' });
}

/** Runs a script to its end. Resolves with its exit code and output. */
export async function runScript(
  exec: Exec,
  script: FarScript,
  input = '',
): Promise<{ readonly exitCode: number; readonly output: Buffer }> {
  const pieces: Uint8Array[] = [];
  let finish: (end: { exitCode: number; lost: string | undefined }) => void;
  const ended = new Promise<{ exitCode: number; lost: string | undefined }>((resolve) => {
    finish = resolve;
  });
  const { connection } = await startScript(exec, script, {
    data: (bytes) => void pieces.push(bytes),
    exited: (exitCode, lost) => finish({ exitCode, lost }),
    closed: () => undefined,
  });
  connection.stdin?.end(input);
  const { exitCode, lost } = await ended;
  if (lost !== undefined) throw new ToolFailure('execution', `The connection to the far side was lost: ${lost}`);
  return { exitCode, output: Buffer.concat(pieces) };
}
