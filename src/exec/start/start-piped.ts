import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import type { PipedProcess } from '../../base/environment.ts';
import { isExecutable } from '../process/is-executable.ts';
import { killTree, killTreeSync, type ProcessTree } from '../process/kill-tree.ts';
import { type Launch, plainLaunch } from '../process/launch.ts';
import { NO_LEAKS } from '../process/leaked-descriptors.ts';
import { spawnFailure } from '../process/spawn-failure.ts';
import { spawnLaunch } from '../process/spawn-launch.ts';
import { within } from '../process/within.ts';
import { LAUNCHER } from '../sandbox/landlock/launcher.ts';
import { packInstructions } from '../sandbox/landlock/pack-instructions.ts';

export interface PipedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A text that tells the processes of this command from all others. */
  readonly id: string;
  /** Where this system installs perl, which sees to it that everything ends with us. */
  readonly perl?: string;
}

const MARK_NAME = 'OXBOW_COMMAND_ID';
const KILL_WAIT_MS = 1000;

/**
 * Starts a process with pipes for its standard streams, outside any sandbox. It ends with this process, and everything
 * that it started ends with it; without perl this holds only as long as this process is not killed. Throws `ToolFailure`
 * when the process cannot be started; a program that is not there may also show in its errors and the exit code 127.
 */
export async function startPiped({ argv, cwd, env, id, perl = '/usr/bin/perl' }: PipedCommand): Promise<PipedProcess> {
  const launch = launchOf(argv, perl);
  const marked = { ...env, [MARK_NAME]: id };
  const child = trySpawn(launch, { cwd, env: marked, id });
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || stdin === null || stdout === null || stderr === null) {
    const [error] = await once(child, 'error');
    throw spawnFailure(error);
  }
  let isRunning = true;
  const tree = (): ProcessTree => ({
    roots: isRunning ? [pid] : [],
    supervisors: isRunning && launch.supervises ? [pid] : [],
    mark: `${MARK_NAME}=${id}`,
  });
  const endAtExit = () => killTreeSync(tree());
  process.on('exit', endAtExit);
  const ended = exitCodeOf(child).then((code) => {
    isRunning = false;
    process.off('exit', endAtExit);
    return code;
  });
  // A process that is gone takes no more input; each write says so.
  stdin.on('error', () => {});
  return {
    pid,
    output: stdout,
    errors: stderr,
    write: (bytes) => write(stdin, bytes),
    endInput: () => stdin.end(),
    ended,
    async kill() {
      await killTree(tree);
      await within(KILL_WAIT_MS, ended);
    },
  };
}

/** Perl stays beside the command: it is given every process that loses its parent, and notices when we die. */
function launchOf(argv: readonly string[], perl: string): Launch {
  const { arch, platform, pid } = process;
  if (platform !== 'linux' || (arch !== 'x64' && arch !== 'arm64') || !isExecutable(perl)) return plainLaunch(argv);
  const launcher = [perl, '-e', LAUNCHER, '--'];
  return {
    argv: [...launcher, ...argv],
    commandAt: launcher.length,
    descriptors: [(variables) => packInstructions(arch, pid, [], variables)],
    env: {},
    supervises: true,
    end() {},
  };
}

function trySpawn(launch: Launch, { cwd, env, id }: Pick<PipedCommand, 'cwd' | 'env' | 'id'>): ChildProcess {
  const launcherEnv = { PATH: '/usr/bin:/bin', [MARK_NAME]: id };
  const streams = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const;
  try {
    return spawnLaunch(launch, { cwd, env, launcherEnv, leaked: NO_LEAKS, ...streams });
  } catch (error) {
    throw spawnFailure(error);
  }
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('close', (code, name) => resolve(code ?? 128 + (name === null ? 0 : constants.signals[name])));
  });
}

function write(stdin: Writable, bytes: Uint8Array | string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdin.write(bytes, (error) => (error ? reject(spawnFailure(error)) : resolve()));
  });
}
