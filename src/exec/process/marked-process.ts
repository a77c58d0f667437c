import type { ChildProcess } from 'node:child_process';
import { exitCodeOf } from './exit-of.ts';
import { killTreeSync, type ProcessTree, signal } from './kill-tree.ts';
import type { Launch } from './launch.ts';
import { readProcessTable } from './process-table.ts';
import { spawnFailure } from './spawn-failure.ts';
import { type LaunchSettings, spawnLaunch } from './spawn-launch.ts';

/** A mark is a variable that everything a command starts inherits, and nothing else has. */
export interface CommandMark {
  /** Beginning of the entry of an environment (`NAME=value`), for `ProcessTree`. */
  readonly entry: string;
  /** The variable, for the environment of the command. */
  readonly variables: Readonly<Record<string, string>>;
  /** All variables of a launcher: with others a command could change what the launcher does. */
  readonly launcherEnv: Readonly<Record<string, string>>;
}

const MARK_NAME = 'OXBOW_COMMAND_ID';

/** Returns the mark of a command. The marks of `id:…` are found together by the mark of `id`. */
export function createMark(id: string): CommandMark {
  // The colon at the end keeps one mark from being the beginning of another.
  const variables = { [MARK_NAME]: `${id}:` };
  return {
    entry: `${MARK_NAME}=${id}:`,
    variables,
    launcherEnv: { PATH: '/usr/bin:/bin', ...variables },
  };
}

/** A process that carries the mark of its command. */
export interface MarkedProcess {
  /** The process with those of its streams that are pipes. */
  readonly child: ChildProcess;
  /** Returns the number of the process. Throws `ToolFailure` when the process could not be started. */
  started(): Promise<number>;
  isRunning(): boolean;
  /** Calls `then` with the exit code when the process has exited; at once if it has exited already. */
  whenExited(then: (exitCode: number) => void): void;
  /** Sends a signal to the process group of the command, which is not the group of a launcher. */
  signalCommand(name: NodeJS.Signals): void;
  /** Returns the process, while it runs, and the mark of everything that it started. */
  tree(): ProcessTree;
}

export interface MarkedSettings extends Omit<LaunchSettings, 'launcherEnv'> {
  readonly mark: CommandMark;
}

/** Starts a launch with a mark. Throws `ToolFailure`; some failures show only in `started`. */
export function spawnMarked(launch: Launch, settings: MarkedSettings): MarkedProcess {
  const { mark } = settings;
  const env = { ...settings.env, ...mark.variables };
  const child = trySpawn(launch, { ...settings, env, launcherEnv: mark.launcherEnv });
  const failure = new Promise<Error>((resolve) => child.once('error', resolve));
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    child,
    isRunning,
    async started() {
      if (child.pid === undefined) throw spawnFailure(await failure);
      return child.pid;
    },
    whenExited(then) {
      if (isRunning()) child.once('exit', (code, name) => then(exitCodeOf(code, name)));
      else then(exitCodeOf(child.exitCode, child.signalCode));
    },
    signalCommand(name) {
      if (child.pid !== undefined && isRunning()) signal(-commandGroup(child.pid, launch), name);
    },
    tree() {
      const roots = child.pid !== undefined && isRunning() ? [child.pid] : [];
      return { roots, supervisors: launch.supervises ? roots : [], mark: mark.entry };
    },
  };
}

/** Kills a tree when this process exits. Returns a function that cancels this. */
export function killAtExit(tree: () => ProcessTree): () => void {
  const kill = () => killTreeSync(tree());
  if (killed.size === 0) process.once('exit', killAll);
  killed.add(kill);
  return () => {
    killed.delete(kill);
    if (killed.size === 0) process.off('exit', killAll);
  };
}

/** Functions that kill the trees at the exit. They share one listener, as Node warns of more than ten. */
const killed = new Set<() => void>();

function killAll(): void {
  for (const kill of killed) kill();
}

function trySpawn(launch: Launch, settings: LaunchSettings): ChildProcess {
  try {
    return spawnLaunch(launch, settings);
  } catch (error) {
    throw spawnFailure(error);
  }
}

/** Returns the process group of the command that a launcher with this number has started. */
export function commandGroup(pid: number, { commandAt }: Launch): number {
  if (commandAt === 0) return pid;
  // A signal would end the launcher, and the command with it before the command could clean up.
  return readProcessTable()?.find((row) => row.parent === pid)?.group ?? pid;
}
