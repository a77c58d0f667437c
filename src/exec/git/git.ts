import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { UserError } from '../../base/errors.ts';
import type { Variables } from '../process/command-environment.ts';
import { exitCodeOf } from '../process/exit-of.ts';
import { signal as sendSignal } from '../process/kill-tree.ts';
import { gitEnvironment } from './git-environment.ts';

/** Options of a call of git. `env` has the variables of the user. */
export interface GitOptions {
  readonly cwd: string;
  readonly env: Variables;
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

/** Flags that keep git from running programs of the repository, and from taking locks. */
const FLAGS = ['--no-pager', '--no-optional-locks', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];

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
  const child = spawn('git', [...FLAGS, ...args], {
    cwd,
    env: gitEnvironment(env),
    // In its own session git has no terminal to ask for passwords, and can be ended with everything it started.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = options.onStdout ? handOver(child.stdout, options.onStdout) : keepHead(child.stdout);
  const stderr = keepHead(child.stderr);
  const timeout = AbortSignal.timeout(timeoutMs);
  const stop = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
  const end = await waitForEnd(child, stop);
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

type Git = ChildProcessByStdio<null, Readable, Readable>;

function keepHead(stream: Readable): () => string {
  const kept: Buffer[] = [];
  let room = OUTPUT_LIMIT;
  stream.on('data', (bytes: Buffer) => {
    if (room > 0) kept.push(bytes.subarray(0, room));
    room -= bytes.length;
  });
  return () => Buffer.concat(kept).toString('utf8');
}

function handOver(stream: Readable, onStdout: (bytes: Buffer) => void): () => string {
  stream.on('data', onStdout);
  return () => '';
}

function waitForEnd(child: Git, stop: AbortSignal): Promise<number | 'stopped' | Error> {
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

function kill(child: Git): void {
  signalGroup(child, 'SIGKILL');
  // A process that left the group may hold the streams open.
  child.stdout.destroy();
  child.stderr.destroy();
}

function signalGroup({ pid }: Git, name: NodeJS.Signals): void {
  if (pid !== undefined) sendSignal(-pid, name);
}

function startFailure(error: Error, cwd: string): UserError {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  if (missing && !existsSync(cwd)) return new UserError('not_found', `There is no folder ${cwd}.`, { cause: error });
  if (missing)
    return new UserError('unavailable', 'git was not found. Install it, or add its folder to PATH.', { cause: error });
  return new UserError('unavailable', `git could not be started in ${cwd}: ${error.message}`, { cause: error });
}
