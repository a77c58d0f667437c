import { randomUUID } from 'node:crypto';
import type { CommandAction } from '../../base/action.ts';
import type { Environment, Files, OpenOptions } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { realWorld } from '../../config/real-world.ts';
import { createTerminalTable } from '../../exec/environment/terminal-table.ts';
import { type OpenTerminal, openTerminal } from '../../exec/output/terminal.ts';
import { within } from '../../exec/process/within.ts';
import type { Exec, ExecProcess } from './exec-process.ts';
import { type FarShell, startFarCommand } from './far-command.ts';
import { createFarFiles } from './far-files.ts';
import { createFarPaths } from './far-paths.ts';
import { ANSWER_MS, createGuard, type FarGuard } from './guard.ts';

/** Options of `environmentFromExec`. */
export interface ExecEnvironmentOptions extends FarShell {
  /** Starts a program on the far side. */
  readonly exec: Exec;
  /** Folder on the far side that stands for the agent's working folder. Default: the same path. */
  readonly cwd?: string;
  /** Returns other files, for a far side with a faster way to its files than a shell. */
  readonly files?: (policy: SandboxPolicy) => Files;
}

/** Waits for the end of a killed command between two attempts to kill it. */
const RETRY_MS = 300;
const MOST_ATTEMPTS = 5;

/**
 * Returns an environment for `createAgent`. Commands and files are those of another machine, of which only a POSIX
 * shell is required: everything goes through `exec`. The machine is the sandbox. The policy of the agent decides only
 * when the user is asked.
 *
 * @example
 * const exec: Exec = (argv) => spawn('docker', ['exec', '-i', 'my-container', ...argv]);
 * const agent = createAgent({ environment: environmentFromExec({ exec, cwd: '/workspace', login: false }) });
 */
export function environmentFromExec(
  options: ExecEnvironmentOptions,
): (thread: { readonly cwd: string }) => Environment {
  return ({ cwd }) => createExecEnvironment(options, cwd);
}

function createExecEnvironment(options: ExecEnvironmentOptions, near: string): Environment {
  const { exec } = options;
  const state = createState(options, near);
  const { guard, table, live, connections } = state;
  return {
    prepare() {
      if (!state.isClosed) guard.start();
    },
    open: (action, openOptions) => open(state, action, openOptions),
    terminal: (id) => table.get(id),
    files: (policy) => options.files?.(policy) ?? createFarFiles(exec, state.paths, policy),
    rest: () => undefined,
    async close() {
      state.isClosed = true;
      // Without a connection there is nothing more to do.
      await guard.close().catch(() => undefined);
      await within(RETRY_MS, Promise.all([...live].map(({ ended }) => ended)));
      for (const connection of connections) connection.kill('SIGKILL');
      await within(ANSWER_MS, Promise.all([...live].map(({ ended }) => ended)));
    },
  };
}

type State = ReturnType<typeof createState>;

function createState(options: ExecEnvironmentOptions, near: string) {
  const own = `${randomUUID()}-`;
  const world = realWorld();
  let commands = 0;
  return {
    options,
    world,
    paths: createFarPaths(near, options.cwd ?? near),
    guard: createGuard(options.exec, own),
    table: createTerminalTable(world),
    live: new Set<OpenTerminal>(),
    /** Processes on this side. One stays open as long as a process on the far side holds its output. */
    connections: new Set<ExecProcess>(),
    isClosed: false,
    /** Returns the mark of the next command. No mark is the beginning of another. */
    nextMark: () => `${own}${++commands}-`,
  };
}

async function open(state: State, action: CommandAction, watch: OpenOptions): Promise<OpenTerminal> {
  const { onOutput, onBytes, onExit } = watch;
  const { options, world, guard, table, live, connections } = state;
  if (state.isClosed) throw closedFailure();
  guard.start();
  const mark = state.nextMark();
  const cwd = state.paths.toFar(action.cwd);
  const id = table.freeId();
  let connection: ExecProcess | undefined;
  const terminal = await openTerminal({
    id,
    world,
    onOutput,
    ...(onBytes && { onBytes }),
    onExit,
    async start(events) {
      const onClosed = () => connection && connections.delete(connection);
      const command = { action, mark, cwd, settings: options };
      const started = await startFarCommand({ exec: options.exec, guard }, command, { ...events, onClosed });
      connection = started.connection;
      connections.add(connection);
      return started;
    },
    killTree: (target) => killTerminal(guard, { terminal: target, mark, hangUp: () => connection?.kill('SIGKILL') }),
    onUse: () => table.touch(id),
    onReadToEnd: () => table.delete(id),
  }).catch((error) => {
    table.delete(id);
    throw error;
  });
  live.add(terminal);
  void terminal.ended.then(() => live.delete(terminal));
  void table.add(terminal)?.kill();
  if (state.isClosed) await terminal.kill();
  return terminal;
}

interface Killed {
  readonly terminal: OpenTerminal;
  readonly mark: string;
  /** Ends the connection to the command. */
  hangUp(): void;
}

/** Kills a command. It may not have its mark yet, so one attempt may not be enough. */
async function killTerminal(guard: FarGuard, { terminal, mark, hangUp }: Killed): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    // Without a connection the far side ends the command.
    await guard.signal('KILL', mark).catch(() => undefined);
    await within(RETRY_MS, terminal.ended);
    if (!terminal.isRunning()) return;
  }
  hangUp();
  await within(ANSWER_MS, terminal.ended);
}

function closedFailure(): ToolFailure {
  return new ToolFailure('aborted', 'The command was not started: its environment has been closed.', {
    effect: 'none',
  });
}
