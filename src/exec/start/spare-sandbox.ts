import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import type { OutputPipe, OutputPipes } from '../output/output-pipes.ts';
import type { Launch } from '../process/launch.ts';
import type { CommandMark } from '../process/marked-process.ts';
import { type AwaitedCommand, packRequest } from '../sandbox/waiting-command.ts';
import type { StartedCommand, Supervisor } from '../supervisor/create-supervisor.ts';

/**
 * A spare is a sandbox that runs already, with a process in it that will become a command. The command need not wait
 * for its sandbox then. An environment has at most one spare.
 */
export interface SpareSandbox {
  /** Starts the launch of a waiting command in the background, in the place of an earlier spare. */
  make(launch: Launch, mark: CommandMark): void;
  /**
   * Hands a command to the spare if the spare is the sandbox of its launch. Returns undefined if it is not, or if the
   * request is too large.
   */
  take(launch: Launch, command: AwaitedCommand): TakenSpare | undefined;
  /** Ends the spare. */
  drop(): void;
}

/** A spare that has become a command. */
export interface TakenSpare {
  readonly started: StartedCommand;
  /** Output of the command. Our end for the process is closed. */
  readonly output: OutputPipe;
  /** Calls `then` with the exit code when the command has ended; at once if it has. */
  whenEnded(then: (exitCode: number) => void): void;
}

export interface SpareParts {
  readonly pipes: OutputPipes;
  supervisor(): Promise<Supervisor | undefined>;
}

export function createSpareSandbox({ pipes, supervisor }: SpareParts): SpareSandbox {
  let spare: WaitingSandbox | undefined;
  /** Counts the calls of `make` and `drop`. A spare that was started for an earlier call is not kept. */
  let turn = 0;

  function replace(next: WaitingSandbox | undefined): void {
    spare?.drop();
    spare = next;
  }

  async function start(launch: Launch, mark: CommandMark): Promise<void> {
    const own = turn;
    const parts = await acquire();
    if (parts === undefined) return launch.end();
    const started = await startWaiting(launch, mark, parts);
    if (own === turn) replace(started);
    else started.drop();
  }

  /** Resolves to undefined where there is no supervisor or no pipe. */
  async function acquire(): Promise<WaitingParts | undefined> {
    const found = await supervisor();
    const output = found && (await pipes.acquire());
    const input = output && (await pipes.acquire());
    if (found && output && input) return { supervisor: found, output, input };
    output?.abandon();
    return undefined;
  }

  return {
    make(launch, mark) {
      if (launch.sandbox === undefined || spare?.isFor(launch.sandbox)) return launch.end();
      turn += 1;
      start(launch, mark).catch(() => launch.end());
    },
    take({ sandbox }, command) {
      if (sandbox === undefined || !spare?.isFor(sandbox)) return undefined;
      const taken = spare.become(packRequest(command));
      spare = undefined;
      return taken;
    },
    drop() {
      turn += 1;
      replace(undefined);
    },
  };
}

interface WaitingSandbox {
  /** Reports whether the spare waits in this sandbox. */
  isFor(sandbox: string): boolean;
  become(request: Uint8Array): TakenSpare | undefined;
  drop(): void;
}

interface WaitingParts {
  readonly supervisor: Supervisor;
  readonly output: OutputPipe;
  readonly input: OutputPipe;
}

/** Starts a sandbox with a waiting command. Rejects with the error of the system. */
async function startWaiting(
  launch: Launch,
  mark: CommandMark,
  { supervisor, output, input }: WaitingParts,
): Promise<WaitingSandbox> {
  closeSync(input.writer);
  // The pipe of a request that no process reads must not block us.
  const request = openSync(`/proc/self/fd/${input.reader}`, constants.O_WRONLY | constants.O_NONBLOCK);
  let isOpen = true;
  let exitCode: number | undefined;
  let isTaken = false;
  const waiting: ((exitCode: number) => void)[] = [];

  function closeRequest(): void {
    if (isOpen) closeSync(request);
    isOpen = false;
  }

  function onEnd(code: number): void {
    if (exitCode !== undefined) return;
    exitCode = code;
    closeRequest();
    recycle(input);
    if (!isTaken) recycle(output);
    launch.end();
    for (const then of waiting.splice(0)) then(code);
  }

  const descriptors = launch.descriptors.map((content) => (typeof content === 'function' ? content({}) : content));
  const command = {
    ...{ argv: launch.argv, cwd: '/', env: mark.launcherEnv, confine: [], descriptors },
    ...{ output: output.writer, input: input.reader, isTerminal: false, waits: true },
  };
  const starting = supervisor.start(command, onEnd).finally(() => closeSync(output.writer));
  const started = await starting.catch((error) => {
    onEnd(1);
    throw error;
  });
  return {
    isFor: (sandbox) => sandbox === launch.sandbox && exitCode === undefined,
    become(bytes) {
      const isWhole = writeWhole(request, bytes);
      closeRequest();
      if (!isWhole || exitCode !== undefined) return undefined;
      isTaken = true;
      started.begin();
      return {
        started,
        output,
        whenEnded(then) {
          if (exitCode === undefined) waiting.push(then);
          else then(exitCode);
        },
      };
    },
    drop: closeRequest,
  };
}

/** Reports whether all bytes fit into the pipe. */
function writeWhole(descriptor: number, bytes: Uint8Array): boolean {
  try {
    return writeSync(descriptor, bytes) === bytes.length;
  } catch {
    return false;
  }
}

/** Recycles a pipe, without the bytes that are left in it. Drops one that a process still holds. */
function recycle(pipe: OutputPipe): void {
  const rest = Buffer.alloc(4096);
  try {
    while (readSync(pipe.reader, rest) > 0);
    pipe.recycle();
  } catch {
    pipe.discard();
  } finally {
    closeSync(pipe.reader);
  }
}
