import { basename } from 'node:path';
import type { CommandAction } from '../../base/action.ts';
import type { Environment, OpenOptions } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import type { World } from '../../base/world.ts';
import { createFiles } from '../files/create-files.ts';
import { type Channel, pipeChannel } from '../output/channel.ts';
import { createOutputPipes } from '../output/output-pipes.ts';
import type { ProcessEvents, StartedProcess } from '../output/started-process.ts';
import { type OpenTerminal, openTerminal } from '../output/terminal.ts';
import {
  type CommandFacts,
  commandEnvironment,
  filterEnvironment,
  type OwnCommands,
  type ShellEnvironmentPolicy,
  type Variables,
} from '../process/command-environment.ts';
import { killTree, killTreeSync, type ProcessTree } from '../process/kill-tree.ts';
import { type Launch, plainLaunch } from '../process/launch.ts';
import { findLeakedDescriptors, type LeakedDescriptors, NO_LEAKS } from '../process/leaked-descriptors.ts';
import { spawnFailure } from '../process/spawn-failure.ts';
import { within } from '../process/within.ts';
import { openPty } from '../pty/open-pty.ts';
import { removeIdleStubs } from '../sandbox/name-stubs.ts';
import type { SandboxProbes } from '../sandbox/probes.ts';
import { startProcess } from '../start/start-process.ts';
import { startSupervised } from '../start/start-supervised.ts';
import { createSupervision } from '../supervisor/create-supervision.ts';
import type { Confinement } from './confinement.ts';
import { createConfinements } from './confinements.ts';
import { captureLoginEnvironment, loginShellArgv } from './login-environment.ts';
import { claimTerminal, type TerminalCount } from './terminal-count.ts';
import { createTerminalTable } from './terminal-table.ts';

export interface LocalEnvironmentOptions {
  /** The user's shell, an absolute path. */
  readonly shell: string;
  readonly baseEnv: Variables;
  readonly environmentPolicy: ShellEnvironmentPolicy;
  readonly threadId: string;
  readonly version: string;
  readonly world: World;
  /** Programs of ours that every command finds. */
  readonly commands?: OwnCommands;
  /** The working directory of the thread: a sandbox program in there is not trusted. */
  readonly cwd?: string;
  /** Where this system installs bubblewrap. */
  readonly bubblewrap?: string;
  /** Where this system installs perl, which applies Landlock. */
  readonly perl?: string;
  /** Shared by the environments of an agent. Without it only each of them has a limit. */
  readonly terminals?: TerminalCount;
  /** What is asked of the machine to find a sandbox. For tests. */
  readonly probes?: Partial<SandboxProbes>;
  /** Told once of each thing that the sandbox cannot protect as it should. */
  onNote?(note: string): void;
}

export interface LocalEnvironment extends Environment {
  /**
   * Starts in the background what the first command would have to wait for: looks for the sandbox and reads the login
   * shell's variables. To be called when the request is out, not before.
   */
  prepare(policy: SandboxPolicy): void;
  /** Returns the hosts that commands were refused, each once. */
  refusedHosts(): readonly string[];
  /** `close` for the `exit` event of the process, where nothing can be waited for. */
  closeSync(): void;
}

/** The variable that marks everything a command starts. */
const MARK_NAME = 'OXBOW_COMMAND_ID';
const LOGIN_TIMEOUT_MS = 10_000;
/** How long a killed process is waited for. */
const KILL_WAIT_MS = 1000;

/** Processes on this machine. */
export function createLocalEnvironment(options: LocalEnvironmentOptions): LocalEnvironment {
  const state = createState(options);
  return {
    async open(action, openOptions) {
      try {
        return await open(state, action, openOptions);
      } catch (error) {
        if (state.closing.signal.aborted) throw closedFailure(error);
        throw error instanceof ToolFailure ? error : spawnFailure(error);
      }
    },
    terminal: (id) => state.table.get(id),
    files: (policy) => createFiles(policy, { env: options.baseEnv }),
    refusedHosts: state.confinements.refusedHosts,
    prepare(policy) {
      if (state.closing.signal.aborted) return;
      const confinement = state.confinements.of(policy);
      state.pipes.prepare();
      if (confinement.applies) confinement.prepare();
      else void state.supervision.get();
      void loginVariables(state, confinement);
    },
    rest() {
      if (state.live.size === 0) state.supervision.rest();
    },
    async close() {
      state.closing.abort();
      const { live } = state;
      if (live.size > 0 || state.mayHaveLeftovers) await killTree(() => wholeTree(state));
      await Promise.all([...live].map(endOf));
      await state.supervision.close(KILL_WAIT_MS);
      for (const launch of state.launches) launch.end();
      removeIdleStubs();
      await within(KILL_WAIT_MS, Promise.all([state.pipes.close(), state.confinements.close(), ...state.preparing]));
    },
    closeSync() {
      state.closing.abort();
      if (state.live.size > 0 || state.mayHaveLeftovers) killTreeSync(wholeTree(state));
      state.supervision.closeSync();
      for (const launch of state.launches) launch.end();
      removeIdleStubs();
      void state.pipes.close();
    },
  };
}

type State = ReturnType<typeof createState>;

function createState(options: LocalEnvironmentOptions) {
  const { world, baseEnv } = options;
  const closing = new AbortController();
  return {
    options,
    closing,
    table: createTerminalTable(world),
    /** Terminals whose process runs, also those that the model can no longer ask for. */
    live: new Set<OpenTerminal>(),
    /** What has to be tidied up behind. */
    launches: new Set<Launch>(),
    leaked: undefined as LeakedDescriptors | undefined,
    /** Of commands without a sandbox. */
    supervision: createSupervision(options.perl ?? '/usr/bin/perl'),
    /** Whether a process may have outlived the command that started it. */
    mayHaveLeftovers: false,
    markBase: `${MARK_NAME}=${world.uuid()}:`,
    commands: 0,
    pipes: createOutputPipes(baseEnv.TMPDIR || '/tmp'),
    passed: new Map<Variables, Readonly<Record<string, string>>>(),
    /** Processes that were started for later commands and have not exited. */
    preparing: new Set<Promise<void>>(),
    login: undefined as Promise<Variables | undefined> | undefined,
    confinements: createConfinements({
      ...(options.bubblewrap === undefined ? {} : { bubblewrap: options.bubblewrap }),
      ...(options.perl === undefined ? {} : { perl: options.perl }),
      ...(options.probes === undefined ? {} : { probes: options.probes }),
      cwd: options.cwd,
      path: baseEnv.PATH ?? '',
      signal: closing.signal,
      onNote: (note) => options.onNote?.(note),
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
  const { callId, policy } = options;
  const confinement = state.confinements.of(policy);
  const confined = options.sandboxed && confinement.applies;
  const mark = nextMark(state);
  const login = action.login ? await loginVariables(state, confinement) : undefined;
  const env = environmentOf(state, login, { callId, networkOff: confined && !policy.network, mark });
  const argv = commandArgv(action, state.options.shell);
  const launch = track(state, confined ? await confinement.launch(argv, action.cwd) : plainLaunch(argv));

  const tty = action.tty ?? false;
  const id = state.table.freeId();
  const terminal = await openTerminal({
    id,
    world: state.options.world,
    onOutput: options.onOutput,
    onExit: options.onExit,
    start: (events) => start(state, { launch, env, cwd: action.cwd, launcherEnv: markOnly(mark), tty }, events),
    killTree: (target) => killTerminal(target, mark),
    onUse: () => state.table.touch(id),
    onReadToEnd: () => state.table.delete(id),
  }).catch((error) => {
    state.table.delete(id);
    launch.end();
    throw error;
  });
  state.live.add(terminal);
  void terminal.ended.then(() => state.live.delete(terminal));
  void state.table.add(terminal)?.kill();
  return terminal;
}

/** Has it tidied up behind once, at its end or at ours. */
function track(state: State, launch: Launch): Launch {
  const tracked: Launch = {
    ...launch,
    end() {
      if (state.launches.delete(tracked)) launch.end();
      if (state.closing.signal.aborted) removeIdleStubs();
    },
  };
  state.launches.add(tracked);
  return tracked;
}

type Start = Omit<Parameters<typeof startProcess>[0], 'channel' | 'leaked'> & { readonly tty: boolean };

async function start(state: State, command: Start, events: ProcessEvents): Promise<StartedProcess> {
  const supervisor = isSupervised(command.launch) ? await state.supervision.get() : undefined;
  const channel = await openChannel(state, command.tty);
  // Nothing is waited for between this look and the start: what starts is seen by `close`.
  if (state.closing.signal.aborted) channel?.abandon();
  state.closing.signal.throwIfAborted();
  if (supervisor !== undefined && channel !== undefined) {
    return startSupervised({ ...command, supervisor, channel }, events);
  }
  state.mayHaveLeftovers ||= command.launch.commandAt === 0;
  return startProcess({ ...command, channel, leaked: leakedFor(state, command.launch) }, events);
}

async function openChannel(state: State, tty: boolean): Promise<Channel | undefined> {
  if (tty) return openPty();
  const pipe = await state.pipes.acquire();
  return pipe && pipeChannel(pipe);
}

/** What has no process of its own that sees to its end. */
function isSupervised({ commandAt, confine }: Launch): boolean {
  return commandAt === 0 || confine !== undefined;
}

/** Without a sandbox there is nothing that they could lead out of. */
function leakedFor(state: State, { commandAt }: Launch): LeakedDescriptors {
  if (commandAt === 0) return NO_LEAKS;
  state.leaked ??= findLeakedDescriptors();
  return state.leaked;
}

function environmentOf(
  state: State,
  login: Variables | undefined,
  { mark, ...facts }: Pick<CommandFacts, 'callId' | 'networkOff'> & { readonly mark: string },
): Record<string, string> {
  const { threadId, version, commands } = state.options;
  const all = { threadId, version, ...facts, ...(commands ? { commands } : {}) };
  return withMark(commandEnvironment(passedVariables(state, login), all), mark);
}

/** What the policy lets through, found out once. */
function passedVariables(state: State, login: Variables | undefined): Readonly<Record<string, string>> {
  const { environmentPolicy, baseEnv } = state.options;
  const inherited = login ?? baseEnv;
  let passed = state.passed.get(inherited);
  if (passed === undefined) {
    // What a login shell adds to a small environment was not inherited.
    const policy = login === undefined ? environmentPolicy : { ...environmentPolicy, inherit: 'all' as const };
    passed = filterEnvironment(inherited, policy);
    state.passed.set(inherited, passed);
  }
  return passed;
}

/** Reads the login shell's variables once. Resolves to undefined when that fails; never rejects. */
function loginVariables(state: State, confinement: Confinement): Promise<Variables | undefined> {
  state.login ??= captureLogin(state, confinement).catch(() => undefined);
  return state.login;
}

/** A profile may lie where commands can write, so it is confined as they are. */
async function captureLogin(state: State, confinement: Confinement): Promise<Variables | undefined> {
  const { shell, baseEnv, environmentPolicy, world } = state.options;
  const separator = `variables-${world.uuid()}`;
  const argv = loginShellArgv(shell, separator);
  const launch = track(
    state,
    confinement.applies ? await confinement.launch(argv, '/', { offline: true }) : plainLaunch(argv),
  );
  const mark = nextMark(state);
  state.mayHaveLeftovers ||= !confinement.applies;
  return captureLoginEnvironment({
    launch,
    mark,
    env: withMark(filterEnvironment(baseEnv, environmentPolicy), mark),
    launcherEnv: markOnly(mark),
    leaked: leakedFor(state, launch),
    separator,
    timeoutMs: LOGIN_TIMEOUT_MS,
    signal: state.closing.signal,
    onStart(exited) {
      const ended = exited.then(() => void state.preparing.delete(ended));
      state.preparing.add(ended);
    },
  });
}

/** The login shell's variables are there already: a command need not run the profile again. */
function commandArgv(action: CommandAction, shell: string): readonly string[] {
  const [program = '', flag, ...rest] = action.argv;
  const isLoginShell = action.login && flag === '-lc' && (program === shell || program === basename(shell));
  return isLoginShell ? [program, '-c', ...rest] : action.argv;
}

/** Ends in a colon, so that no mark is the beginning of another. */
function nextMark(state: State): string {
  state.commands += 1;
  return `${state.markBase}${state.commands}:`;
}

function withMark(env: Record<string, string>, mark: string): Record<string, string> {
  return { ...env, [MARK_NAME]: mark.slice(MARK_NAME.length + 1) };
}

/** The variables of a launcher: no others can make it do what a command wants. */
function markOnly(mark: string): Record<string, string> {
  return withMark({ PATH: '/usr/bin:/bin' }, mark);
}

async function killTerminal(terminal: OpenTerminal, mark: string): Promise<void> {
  await killTree(() => treeOf([terminal], mark));
  await endOf(terminal);
}

async function endOf(terminal: OpenTerminal): Promise<void> {
  await within(KILL_WAIT_MS, terminal.ended);
}

function wholeTree(state: State): ProcessTree {
  return treeOf([...state.live], state.markBase);
}

function treeOf(terminals: readonly OpenTerminal[], mark: string): ProcessTree {
  const running = terminals.filter((terminal) => terminal.isRunning());
  const supervisors = running.filter(({ isSupervised }) => isSupervised);
  return { roots: running.map(({ pid }) => pid), supervisors: supervisors.map(({ pid }) => pid), mark };
}

function closedFailure(cause: unknown): ToolFailure {
  return new ToolFailure('aborted', 'The command was not started: its environment has been closed.', { cause });
}
