import { basename } from 'node:path';
import type { CommandAction } from '../../base/action.ts';
import type { Environment, OpenOptions } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { createFiles } from '../files/create-files.ts';
import { type OpenTerminal, openTerminal } from '../output/terminal.ts';
import { killTree, killTreeSync, type ProcessTree } from '../process/kill-tree.ts';
import { plainLaunch } from '../process/launch.ts';
import { type CommandMark, createMark } from '../process/marked-process.ts';
import { spawnFailure } from '../process/spawn-failure.ts';
import { within } from '../process/within.ts';
import { SYSTEM_PROGRAMS } from '../sandbox/find-programs.ts';
import { findUntrusted } from '../sandbox/find-untrusted.ts';
import type { SandboxProbes } from '../sandbox/probes.ts';
import { createCommandStarter } from '../start/command-starter.ts';
import { createOpenLaunches } from '../start/open-launches.ts';
import { createCommandVariables, type VariableSettings } from './command-variables.ts';
import { createConfinements } from './confinements.ts';
import { claimTerminal, type TerminalCount } from './terminal-count.ts';
import { createTerminalTable } from './terminal-table.ts';

export interface LocalEnvironmentOptions extends VariableSettings {
  /** The working directory of the thread. A sandbox program in it is not trusted. */
  readonly cwd?: string;
  /**
   * Id by which the processes of the commands are found, and which no other environment of this machine has. The
   * default is an id of the world, and worlds with the same ids may exist in tests.
   */
  readonly id?: string;
  /** Oxbow's home, where it keeps files of its own that commands must not change. */
  readonly home?: string;
  /** Path at which this system installs bubblewrap. */
  readonly bubblewrap?: string;
  /** Path at which this system installs perl, which applies Landlock. */
  readonly perl?: string;
  /** Count that the environments of an agent share. Without it each environment has only its own limit. */
  readonly terminals?: TerminalCount;
  /** Replaced probes of the machine. For tests. */
  readonly probes?: Partial<SandboxProbes>;
  /** Called once for each thing that the sandbox cannot protect as it should. */
  onNote?(note: string): void;
}

export interface LocalEnvironment extends Environment {
  /**
   * Starts in the background the work that the first command would wait for: looks for the sandbox and reads the
   * variables of the login shell. To be called once the request has been sent, since the work would delay it.
   */
  prepare(policy: SandboxPolicy): void;
  findUntrusted(program: string, login: boolean, policy: SandboxPolicy): Promise<string | undefined>;
  /** Returns the hosts that the policy refused to commands, each once. */
  refusedHosts(): readonly string[];
  /** Closes the environment in the `exit` event of the process, where waiting is impossible. */
  closeSync(): void;
}

/** Longest wait for the end of a killed process. */
const KILL_WAIT_MS = 1000;

/** Creates an environment whose commands are processes of this machine. */
export function createLocalEnvironment(options: LocalEnvironmentOptions): LocalEnvironment {
  const state = createState(options);
  const { closing, live, starter, variables, launches, confinements } = state;
  const mayRun = () => live.size > 0 || starter.mayHaveLeftovers();
  return {
    async open(action, openOptions) {
      try {
        return await open(state, action, openOptions);
      } catch (error) {
        if (closing.signal.aborted) throw closedFailure(error);
        throw error instanceof ToolFailure ? error : spawnFailure(error);
      }
    },
    terminal: (id) => state.table.get(id),
    files(policy) {
      const places = confinements.places.of(policy);
      return createFiles(places.policy, { env: options.baseEnv, examine: places.examine });
    },
    async findUntrusted(program, login, policy) {
      const captured = login ? await variables.login(confinements.of(policy)) : undefined;
      const { PATH: path = '' } = variables.of({ callId: '', networkOff: false }, captured);
      const untrustedFolders = [...policy.writableRoots, ...(options.cwd === undefined ? [] : [options.cwd])];
      return findUntrusted(program, { path, untrustedFolders });
    },
    refusedHosts: confinements.refusedHosts,
    prepare(policy) {
      if (closing.signal.aborted) return;
      const confinement = confinements.of(policy);
      starter.prepare(confinement.applies);
      if (confinement.applies) confinement.prepare();
      void variables.login(confinement);
      state.isResting = false;
      if (!confinement.applies || starter.hasSpares()) return;
      const isWanted = () => !state.isResting && !closing.signal.aborted;
      // A failure shows when a command needs its sandbox.
      void confinement.nextSandbox().then((kind) => kind && isWanted() && starter.makeSpares(kind), ignored);
    },
    rest() {
      state.isResting = true;
      if (live.size === 0) starter.rest();
    },
    async close() {
      closing.abort();
      await variables.ended();
      if (mayRun()) await killTree(() => wholeTree(state));
      await Promise.all([...live].map(endOf));
      await starter.close(KILL_WAIT_MS);
      launches.endAll();
      confinements.closeGuard();
      await within(KILL_WAIT_MS, Promise.all([confinements.close(), variables.settled()]));
    },
    closeSync() {
      closing.abort();
      if (mayRun()) killTreeSync(wholeTree(state));
      starter.closeSync();
      launches.endAll();
      confinements.closeGuard();
    },
  };
}

const ignored = () => undefined;

type State = ReturnType<typeof createState>;

function createState(options: LocalEnvironmentOptions) {
  const { world, baseEnv, home } = options;
  const onNote = (note: string) => options.onNote?.(note);
  const closing = new AbortController();
  const { signal } = closing;
  const { id = world.uuid() } = options;
  let commands = 0;
  const nextMark = () => {
    commands += 1;
    return createMark(`${id}:${commands}`);
  };
  const launches = createOpenLaunches();
  const pipes = { home: options.home, temporary: baseEnv.TMPDIR || '/tmp' };
  const starter = createCommandStarter({
    perl: options.perl ?? SYSTEM_PROGRAMS.perl,
    pipes,
    launches,
    mark: createMark(id),
    signal,
  });
  return {
    options,
    closing,
    /** Whether no command is expected. */
    isResting: false,
    table: createTerminalTable(world),
    /** Terminals with a running process, including those that the table has dropped. */
    live: new Set<OpenTerminal>(),
    launches,
    starter,
    /** Beginning of the marks of all commands. */
    mark: createMark(id),
    nextMark,
    variables: createCommandVariables(options, { starter, launches, signal, nextMark }),
    confinements: createConfinements({
      ...(options.bubblewrap === undefined ? {} : { bubblewrap: options.bubblewrap }),
      ...(options.perl === undefined ? {} : { perl: options.perl }),
      ...(options.probes === undefined ? {} : { probes: options.probes }),
      cwd: options.cwd,
      home,
      path: baseEnv.PATH ?? '',
      signal,
      onNote,
      id,
    }),
  };
}

async function open(state: State, action: CommandAction, options: OpenOptions): Promise<OpenTerminal> {
  state.closing.signal.throwIfAborted();
  const release = claimTerminal(state.options.terminals);
  try {
    const terminal = await openClaimed(state, action, options);
    void terminal.ended.then(release);
    return terminal;
  } catch (error) {
    release();
    throw error;
  }
}

async function openClaimed(state: State, action: CommandAction, options: OpenOptions): Promise<OpenTerminal> {
  const { table, live, variables } = state;
  const { cwd, tty = false } = action;
  const { callId, policy } = options;
  const confinement = state.confinements.of(policy);
  const confined = options.sandboxed && confinement.applies;
  const mark = state.nextMark();
  const login = action.login ? await variables.login(confinement) : undefined;
  const env = variables.of({ callId, networkOff: confined && !policy.network }, login);
  const argv = commandArgv(action, state.options.shell);
  const launch = state.launches.add(confined ? await confinement.launch(argv, cwd) : plainLaunch(argv));

  const id = table.freeId();
  const terminal = await openTerminal({
    id,
    world: state.options.world,
    onOutput: options.onOutput,
    ...(options.onBytes && { onBytes: options.onBytes }),
    onExit: options.onExit,
    start: (events) => state.starter.start({ launch, env, cwd, mark, tty }, events),
    killTree: (target) => killTerminal(target, mark),
    onUse: () => table.touch(id),
    onReadToEnd: () => table.delete(id),
  }).catch((error) => {
    table.delete(id);
    launch.end();
    throw error;
  });
  live.add(terminal);
  void terminal.ended.then(() => live.delete(terminal));
  void table.add(terminal)?.kill();
  return terminal;
}

/**
 * Returns the words of a command. A login shell becomes a plain one: its variables are known, so the profile need not
 * run again.
 */
function commandArgv(action: CommandAction, shell: string): readonly string[] {
  const [program = '', flag, ...rest] = action.argv;
  const isLoginShell = action.login && flag === '-lc' && (program === shell || program === basename(shell));
  return isLoginShell ? [program, '-c', ...rest] : action.argv;
}

async function killTerminal(terminal: OpenTerminal, mark: CommandMark): Promise<void> {
  await killTree(() => treeOf([terminal], mark));
  await endOf(terminal);
}

async function endOf(terminal: OpenTerminal): Promise<void> {
  await within(KILL_WAIT_MS, terminal.ended);
}

function wholeTree(state: State): ProcessTree {
  return treeOf([...state.live], state.mark);
}

function treeOf(terminals: readonly OpenTerminal[], mark: CommandMark): ProcessTree {
  const running = terminals.filter((terminal) => terminal.isRunning());
  const supervisors = running.filter(({ isSupervised }) => isSupervised);
  return { roots: running.map(({ pid }) => pid), supervisors: supervisors.map(({ pid }) => pid), mark: mark.entry };
}

function closedFailure(cause: unknown): ToolFailure {
  return new ToolFailure('aborted', 'The command was not started: its environment has been closed.', { cause });
}
