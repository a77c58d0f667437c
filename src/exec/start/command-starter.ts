import { type Channel, pipeChannel } from '../output/channel.ts';
import type { PipePlaces } from '../output/output-pipes.ts';
import { sharePipes } from '../output/process-pipes.ts';
import type { ProcessEvents, StartedProcess } from '../output/started-process.ts';
import type { Launch, SandboxKind } from '../process/launch.ts';
import { createLeakFinder } from '../process/leaked-descriptors.ts';
import type { CommandMark, MarkedSettings } from '../process/marked-process.ts';
import { within } from '../process/within.ts';
import { openPty } from '../pty/open-pty.ts';
import { createSupervision } from '../supervisor/create-supervision.ts';
import type { OpenLaunches } from './open-launches.ts';
import { createSpareSandboxes, type SpareSandboxes, type TakenSpare } from './spare-sandboxes.ts';
import { startProcess } from './start-process.ts';
import { startedInSpare, startSupervised } from './start-supervised.ts';

/**
 * A starter of the commands of an environment. Each command gets a pipe or a terminal, and a supervisor where one can
 * run.
 */
export interface CommandStarter {
  /** Prepares in the background for the next command: its pipe, and the supervisor of a command without a sandbox. */
  prepare(confined: boolean): void;
  /** Starts sandboxes of this kind, in which the next commands can start at once. */
  makeSpares(kind: SandboxKind): void;
  hasSpares(): boolean;
  /** Starts a command. Throws `ToolFailure`, and the reason of the signal after its abort. */
  start(command: StartableCommand, events: ProcessEvents): Promise<StartedProcess>;
  /** Reports whether a process may have outlived the command that started it. */
  mayHaveLeftovers(): boolean;
  /** Ends the supervisor if no process of any command is left. */
  rest(): void;
  /** Ends the supervisor with everything that its commands started, and closes the free pipes. Waits at most `ms`. */
  close(ms: number): Promise<void>;
  /** Does the same without waiting. */
  closeSync(): void;
}

export interface StartableCommand extends Pick<MarkedSettings, 'cwd' | 'env' | 'mark'> {
  readonly launch: Launch;
  /** Whether the command gets a terminal. */
  readonly tty: boolean;
}

export interface StarterOptions {
  readonly perl: string;
  readonly pipes: PipePlaces;
  readonly launches: OpenLaunches;
  /** Mark of everything that the environment starts. */
  readonly mark: CommandMark;
  /** After its abort nothing is started. */
  readonly signal: AbortSignal;
}

export function createCommandStarter({ perl, signal, ...options }: StarterOptions): CommandStarter {
  const supervision = createSupervision(perl);
  const pipes = sharePipes(options.pipes);
  const leaksFor = createLeakFinder();
  const spares = createSpareSandboxes({ ...options, pipes, supervisor: supervision.get });
  let mayHaveLeftovers = false;

  async function openChannel(tty: boolean): Promise<Channel | undefined> {
    if (tty) return openPty();
    const pipe = await pipes.acquire();
    return pipe && pipeChannel(pipe);
  }

  return {
    prepare(confined) {
      pipes.prepare();
      if (!confined) void supervision.get();
    },
    makeSpares: spares.make,
    hasSpares: spares.exists,
    async start({ tty, ...command }, events) {
      const { launch } = command;
      const taken = tty ? undefined : await takeSpare(spares, command, signal);
      if (taken !== undefined) return startedInSpare(taken, launch, events);
      const supervisor = needsSupervisor(launch) ? await supervision.get() : undefined;
      const channel = await openChannel(tty);
      // Nothing is waited for between this check and the start, so that closing sees everything that has started.
      if (signal.aborted) channel?.abandon();
      signal.throwIfAborted();
      if (supervisor !== undefined && channel !== undefined) {
        return startSupervised({ ...command, supervisor, channel }, events);
      }
      mayHaveLeftovers ||= launch.commandAt === 0;
      return startProcess({ ...command, channel, leaksFor }, events);
    },
    mayHaveLeftovers: () => mayHaveLeftovers,
    rest() {
      spares.drop();
      supervision.rest();
    },
    async close(ms) {
      await Promise.all([supervision.close(ms), within(ms, pipes.close())]);
    },
    closeSync() {
      supervision.closeSync();
      void pipes.close();
    },
  };
}

/** Lets a spare sandbox become the command, if there is one for it. The next one starts while the command runs. */
async function takeSpare(
  spares: SpareSandboxes,
  { launch, mark, cwd, env }: Omit<StartableCommand, 'tty'>,
  signal: AbortSignal,
): Promise<TakenSpare | undefined> {
  const { sandbox } = launch;
  if (sandbox === undefined) return undefined;
  const waiting = await spares.take(sandbox);
  if (signal.aborted) waiting?.drop();
  signal.throwIfAborted();
  spares.make(sandbox);
  const variables = { ...env, ...mark.variables, ...launch.env };
  return waiting?.become({ cwd, env: variables, argv: launch.argv.slice(launch.commandAt) });
}

/** Reports whether a launch has no process of its own that ends everything the command started. */
function needsSupervisor({ commandAt, confine }: Launch): boolean {
  return commandAt === 0 || confine !== undefined;
}
