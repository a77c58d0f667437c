import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { messageOf } from '../../src/base/errors.ts';
import { createJsonLines, type JsonEvent, type JsonLines } from './json-lines.ts';
import { processesWith } from './processes.ts';

export interface ProgramOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Input of the program, which then ends. */
  readonly stdin?: string;
  /** Whether the input stays open for the test to write to. */
  readonly keepStdinOpen?: boolean;
  /** Whether stdout is JSON lines. */
  readonly json?: boolean;
  /** Time after which the program is killed and the run fails. */
  readonly timeoutMs?: number;
}

export interface RunningProgram {
  readonly pid: number;
  readonly stdin: Writable;
  /** A text in the environment of the program and, as a rule, of all its children: see `processesWith`. */
  readonly marker: string;
  /** JSON lines printed so far. */
  readonly events: readonly JsonEvent[];
  /** Signals the program only, not its children. */
  kill(signal: NodeJS.Signals): void;
  /** Closes our end of stdout, as `head` does when it has seen enough. */
  stopReading(): void;
  /** Calls the listener for each event, including earlier ones. */
  onEvent(listener: (event: JsonEvent) => void): void;
  /** Resolves with the first event that fits, past or future. Rejects when the program ends without it. */
  waitForEvent(fits: (event: JsonEvent) => boolean): Promise<JsonEvent>;
  /** Resolves with the first text on stderr that fits, past or future. Rejects when the program ends without it. */
  waitForError(pattern: RegExp): Promise<string>;
  /** Resolves when the program has ended and its output is complete. */
  wait(): Promise<ProgramResult>;
}

export interface ProgramResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly JsonEvent[];
  readonly durationMs: number;
  readonly marker: string;
}

/** Starts a program in a process group of its own. Throws a sentence when it cannot be started. */
export async function startProgram(options: ProgramOptions): Promise<RunningProgram> {
  const marker = `oxbow-test-run-${randomUUID()}`;
  const startedAt = performance.now();
  const env = { ...options.env, OXBOW_TEST_MARKER: marker };
  const child = spawn(options.command, options.args, { cwd: options.cwd, env, detached: true });
  child.stdin.on('error', () => {});
  const lines = createJsonLines();
  const printed = collect(child, options.json ? lines : undefined);
  const pid = await spawned(child, options.command);
  if (options.stdin !== undefined) child.stdin.write(options.stdin);
  if (!options.keepStdinOpen) child.stdin.end();

  const ended = untilEnd(child, { pid, marker, timeoutMs: options.timeoutMs ?? 60_000 }).then(
    ({ code, signal }): ProgramResult => {
      // A killed program may leave half a line.
      const bad = lines.fault() ?? (signal === null && lines.rest() !== '' ? lines.rest() : undefined);
      if (bad !== undefined) throw new Error(`printed a line that is not a JSON object: ${bad}`);
      return { code, signal, ...printed, events: lines.events, durationMs: performance.now() - startedAt, marker };
    },
  );
  const explain = (what: string) => `${nameOf(options)} ${what}\n${transcript(printed)}`;
  const result = ended.catch((error: unknown) => {
    throw new Error(explain(messageOf(error)));
  });
  // Also handles a failure that no test waits for, which would end the process of the tests.
  result.then(
    () => lines.close(explain('ended without it.')),
    (error: unknown) => lines.close(messageOf(error)),
  );

  return {
    pid,
    stdin: child.stdin,
    marker,
    events: lines.events,
    kill: (signal) => void child.kill(signal),
    stopReading: () => void child.stdout.destroy(),
    onEvent: lines.onEvent,
    waitForEvent: lines.waitFor,
    waitForError: (pattern) => untilFits(child, () => pattern.exec(printed.stderr)?.[0], explain),
    wait: () => result,
  };
}

/** Resolves with the text that `find` finds in the output so far, as soon as it does. */
function untilFits(
  child: ChildProcessWithoutNullStreams,
  find: () => string | undefined,
  explain: (what: string) => string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    child.stderr.on('data', look);
    child.once('close', () => reject(new Error(explain('ended without the text.'))));
    look();
  });
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface EndOptions {
  readonly pid: number;
  readonly marker: string;
  readonly timeoutMs: number;
}

function untilEnd(child: ChildProcessWithoutNullStreams, { pid, marker, timeoutMs }: EndOptions): Promise<End> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const state = child.exitCode === null && child.signalCode === null ? 'was still running' : 'left its output open';
      killAll(pid, marker);
      // A process that was not found may hold the pipes, which must not block the test.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      reject(new Error(`${state} after ${timeoutMs} ms and was killed.`));
    }, timeoutMs);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
}

interface Printed {
  stdout: string;
  stderr: string;
}

function collect(child: ChildProcessWithoutNullStreams, lines: JsonLines | undefined): Printed {
  const printed: Printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text;
    lines?.push(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text;
  });
  return printed;
}

async function spawned(child: ChildProcessWithoutNullStreams, command: string): Promise<number> {
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new Error(`${command} could not be started. Is it built?`, { cause: error });
  }
  if (child.pid === undefined) throw new Error(`${command} has no process id.`);
  return child.pid;
}

function killAll(pid: number, marker: string): void {
  for (const target of [-pid, ...marked(marker)]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // The process has ended by itself.
    }
  }
}

function marked(marker: string): number[] {
  try {
    return processesWith(marker);
  } catch {
    // A machine without /proc.
    return [];
  }
}

function nameOf({ command, args }: ProgramOptions): string {
  return [command.split('/').at(-1), ...args].join(' ');
}

function transcript({ stdout, stderr }: Printed): string {
  return `--- stdout\n${stdout}\n--- stderr\n${stderr}`;
}
