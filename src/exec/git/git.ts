import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { UserError } from '../../base/errors.ts';
import type { Variables } from '../process/command-environment.ts';
import { exitCodeOf } from '../process/exit-of.ts';
import { signal as sendSignal } from '../process/kill-tree.ts';
import { type Launch, plainLaunch } from '../process/launch.ts';
import { createLeakFinder } from '../process/leaked-descriptors.ts';
import { spawnLaunch } from '../process/spawn-launch.ts';
import { findPrograms, trustedFolders } from '../sandbox/find-programs.ts';
import { gitEnvironment } from './git-environment.ts';

/** Facts that decide which git runs, and how. */
export interface GitCaller {
  /** The variables of the user. */
  readonly env: Variables;
  /** Folders that commands can write to. No program in them is run. */
  readonly untrustedFolders: readonly string[];
  /** Returns the launch of git in a sandbox that lets it read only. Without it git runs with all rights of the user. */
  readonly confine?: (argv: readonly string[], cwd: string) => Promise<Launch>;
}

/** Options of a call of git. */
export interface GitOptions extends GitCaller {
  readonly cwd: string;
  /** Names and values of settings that replace those of the repository. */
  readonly settings?: readonly (readonly [name: string, value: string])[];
  /** Stops git and everything that it started. */
  readonly signal?: AbortSignal;
  /** Default: ten seconds. */
  readonly timeoutMs?: number;
  /** Receives the output of git as it comes. `GitOutput.stdout` is then empty. */
  readonly onStdout?: (bytes: Buffer) => void;
}

export interface GitOutput {
  /** 128 + n when signal n ended git. */
  readonly exitCode: number;
  /** The first MiB of each output. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Settings of a repository that would make git run a program, or another git that these settings do not reach. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'log.showSignature=false',
  'status.submoduleSummary=false',
  'submodule.recurse=false',
];

/** Flags that keep git from running programs of the repository, and from taking locks. */
const FLAGS = ['--no-pager', '--no-optional-locks', ...SETTINGS.flatMap((setting) => ['-c', setting])];

const TIMEOUT_MS = 10_000;
const OUTPUT_LIMIT = 1024 * 1024;
const GRACE_MS = 1000;

/**
 * Runs git to its end, without a shell, input or terminal. A failure of git is an exit code. Throws `UserError` where
 * git cannot be started or takes too long, and the reason of the signal after its abort.
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<GitOutput> {
  const { cwd, env, signal, timeoutMs = TIMEOUT_MS } = options;
  signal?.throwIfAborted();
  const search = { path: env.PATH ?? '/usr/bin:/bin', untrustedFolders: options.untrustedFolders };
  const [program] = findPrograms('git', search);
  if (program === undefined) throw new UserError('unavailable', MISSING);
  const argv = [program, ...FLAGS, ...args];
  const launch = (await options.confine?.(argv, cwd)) ?? plainLaunch(argv);
  const variables = gitEnvironment({ ...env, PATH: trustedFolders(search).join(':') }, options.settings);
  const child = start(launch, cwd, variables);
  const stdout = options.onStdout ? handOver(child.stdout, options.onStdout) : keepHead(child.stdout);
  const stderr = keepHead(child.stderr);
  const timeout = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  const end = await waitForEnd(child, stop);
  launch.end();
  if (end === 'stopped') {
    signal?.throwIfAborted();
    throw new UserError(
      'unavailable',
      `git ${args[0]} in ${cwd} took longer than ${timeoutMs / 1000} seconds and was stopped.`,
    );
  }
  if (end instanceof Error) throw startFailure(end, cwd);
  return { exitCode: end, stdout: stdout(), stderr: stderr() };
}

/**
 * Returns the output of git without the newline at its end. Throws `UserError` with git's own message when git fails.
 */
export async function readGit(args: readonly string[], options: GitOptions): Promise<string> {
  const output = await runGit(args, options);
  if (output.exitCode !== 0) throw gitFailure(args, options.cwd, output);
  return output.stdout.replace(/\n$/, '');
}

/** Returns the error of a git command that should not have failed. */
export function gitFailure(args: readonly string[], cwd: string, { exitCode, stderr }: GitOutput): UserError {
  const reason = stderr.trim().slice(0, 1000) || `exit code ${exitCode}`;
  return new UserError('unavailable', `git ${args[0]} failed in ${cwd}: ${reason}`);
}

const MISSING =
  'git was not found in a folder of PATH that commands cannot write to. Install it, or add its folder to PATH.';

/** Starts git in its own session: it has no terminal to ask for passwords, and is ended with everything it started. */
function start(launch: Launch, cwd: string, env: Readonly<Record<string, string>>): ChildProcess {
  const launcherEnv = { PATH: '/usr/bin:/bin' };
  try {
    const leaked = createLeakFinder()(launch);
    return spawnLaunch(launch, { cwd, env, launcherEnv, stdout: 'pipe', stderr: 'pipe', leaked });
  } catch (error) {
    launch.end();
    throw error instanceof Error ? startFailure(error, cwd) : error;
  }
}

/** A stream of git. A process that could not be started may have none. */
type GitStream = Readable | null | undefined;

function keepHead(stream: GitStream): () => string {
  const kept: Buffer[] = [];
  let room = OUTPUT_LIMIT;
  stream?.on('data', (bytes: Buffer) => {
    if (room > 0) kept.push(bytes.subarray(0, room));
    room -= bytes.length;
  });
  return () => Buffer.concat(kept).toString('utf8');
}

function handOver(stream: GitStream, onStdout: (bytes: Buffer) => void): () => string {
  stream?.on('data', onStdout);
  return () => '';
}

function waitForEnd(child: ChildProcess, stop: AbortSignal): Promise<number | 'stopped' | Error> {
  return new Promise((resolve) => {
    let stopped = false;
    let grace: NodeJS.Timeout | undefined;
    const terminate = () => signalGroup(child, 'SIGTERM');
    const onStop = () => {
      stopped = true;
      // Git cleans up when it is asked to end.
      terminate();
      grace = setTimeout(() => kill(child), GRACE_MS);
    };
    const finish = (end: number | Error) => {
      clearTimeout(grace);
      stop.removeEventListener('abort', onStop);
      process.off('exit', terminate);
      resolve(stopped ? 'stopped' : end);
    };
    stop.addEventListener('abort', onStop);
    process.once('exit', terminate);
    child.once('error', finish);
    child.once('close', (code, name) => finish(exitCodeOf(code, name)));
  });
}

function kill(child: ChildProcess): void {
  signalGroup(child, 'SIGKILL');
  // A process that left the group may hold the streams open.
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid !== undefined) sendSignal(-pid, name);
}

function startFailure(error: Error, cwd: string): UserError {
  if (!existsSync(cwd)) return new UserError('not_found', `There is no folder ${cwd}.`, { cause: error });
  return new UserError('unavailable', `git could not be started in ${cwd}: ${error.message}`, { cause: error });
}
