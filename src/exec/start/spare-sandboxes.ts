import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import type { OutputPipe, OutputPipes } from '../output/output-pipes.ts';
import type { Launch, SandboxKind } from '../process/launch.ts';
import type { CommandMark } from '../process/marked-process.ts';
import { type AwaitedCommand, packRequest } from '../sandbox/awaited-command.ts';
import type { StartedCommand, Supervisor } from '../supervisor/create-supervisor.ts';
import type { OpenLaunches } from './open-launches.ts';

/**
 * A spare is a sandbox that runs already, with a process in it that will become a command. The command need not wait
 * for its sandbox then. The spares of an environment are all of one kind.
 */
export interface SpareSandboxes {
  /** Starts sandboxes of this kind in the background, as many as are missing. Spares of another kind end. */
  make(kind: SandboxKind): void;
  /** Returns a spare if it is of this kind. The caller lets it become a command or drops it. */
  take(kind: SandboxKind): Promise<WaitingSandbox | undefined>;
  exists(): boolean;
  /** Ends all spares. */
  drop(): void;
}

/** A sandbox whose process waits for its command. */
export interface WaitingSandbox {
  /** Hands the command over. Returns undefined if the sandbox has ended, or if the command is too large for its pipe. */
  become(command: AwaitedCommand): TakenSpare | undefined;
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
  readonly launches: OpenLaunches;
  readonly mark: CommandMark;
  supervisor(): Promise<Supervisor | undefined>;
}

export function createSpareSandboxes(parts: SpareParts): SpareSandboxes {
  let spares: Spare[] = [];

  function drop(): void {
    for (const { waiting } of spares.splice(0)) void waiting.then((found) => found?.drop());
  }

  return {
    make(kind) {
      if (spares.some(({ key }) => key !== kind.key)) drop();
      while (spares.length < SPARES) {
        const onEnd = () => {
          spares = spares.filter((one) => one !== made);
        };
        const made: Spare = { key: kind.key, waiting: start(kind, parts, onEnd).catch(() => undefined) };
        spares.push(made);
      }
    },
    async take({ key }) {
      return spares[0]?.key === key ? spares.shift()?.waiting : undefined;
    },
    exists: () => spares.length > 0,
    drop,
  };
}

/** Two calls often come together. */
const SPARES = 2;

interface Spare {
  readonly key: string;
  readonly waiting: Promise<WaitingSandbox | undefined>;
}

/** Resolves to undefined where there is no supervisor or no pipe. Rejects where the sandbox cannot be started. */
async function start(
  kind: SandboxKind,
  { pipes, launches, mark, supervisor }: SpareParts,
  onEnd: () => void,
): Promise<WaitingSandbox | undefined> {
  const found = await supervisor();
  const output = found && (await pipes.acquire());
  if (!found || !output) return undefined;
  const input = await openInput(pipes).catch((error) => {
    output.abandon();
    throw error;
  });
  if (input) return startWaiting(launches.add(kind.launchWaiting()), { supervisor: found, output, input, mark, onEnd });
  output.abandon();
  return undefined;
}

/** Input of a waiting command. */
interface RequestPipe {
  readonly pipe: OutputPipe;
  /** Our end. A request that no process reads does not block us. */
  readonly request: number;
}

async function openInput(pipes: OutputPipes): Promise<RequestPipe | undefined> {
  const pipe = await pipes.acquire();
  if (pipe === undefined) return undefined;
  try {
    const request = openSync(`/proc/self/fd/${pipe.reader.fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
    closeSync(pipe.writer);
    return { pipe, request };
  } catch (error) {
    pipe.abandon();
    throw error;
  }
}

interface WaitingParts {
  readonly supervisor: Supervisor;
  readonly output: OutputPipe;
  readonly input: RequestPipe;
  readonly mark: CommandMark;
  /** Called when the sandbox has ended. */
  onEnd(): void;
}

/** Starts a sandbox with a waiting command. Rejects with the error of the system. */
async function startWaiting(
  launch: Launch,
  { supervisor, output, input: { pipe: input, request }, mark, onEnd }: WaitingParts,
): Promise<WaitingSandbox> {
  let isOpen = true;
  let exitCode: number | undefined;
  let isTaken = false;
  const waiting: ((exitCode: number) => void)[] = [];

  function closeRequest(): void {
    if (isOpen) closeSync(request);
    isOpen = false;
  }

  function end(code: number): void {
    if (exitCode !== undefined) return;
    exitCode = code;
    closeRequest();
    recycle(input);
    if (!isTaken) recycle(output);
    launch.end();
    onEnd();
    for (const then of waiting.splice(0)) then(code);
  }

  const descriptors = launch.descriptors.map((content) => (typeof content === 'function' ? content({}) : content));
  const command = {
    ...{ argv: launch.argv, cwd: '/', env: mark.launcherEnv, confine: [], descriptors },
    ...{ output: output.writer, input: input.reader.fd, isTerminal: false, waits: true },
  };
  const starting = supervisor.start(command, end).finally(() => closeSync(output.writer));
  const started = await starting.catch((error) => {
    end(1);
    throw error;
  });
  return {
    become(awaited) {
      const isWhole = isOpen && writeRequest(request, awaited);
      closeRequest();
      if (!isWhole) return undefined;
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

/** Reports whether the whole request fits into the pipe. */
function writeRequest(descriptor: number, command: AwaitedCommand): boolean {
  try {
    const bytes = packRequest(command);
    return writeSync(descriptor, bytes) === bytes.length;
  } catch {
    return false;
  }
}

/** Recycles a pipe, without the bytes that are left in it. Drops one that a process still holds. */
function recycle(pipe: OutputPipe): void {
  const rest = Buffer.alloc(4096);
  try {
    while (readSync(pipe.reader.fd, rest) > 0);
    pipe.recycle();
  } catch {
    pipe.discard();
  } finally {
    pipe.reader.close();
  }
}
