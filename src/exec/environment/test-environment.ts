import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exit, Terminal } from '../../base/environment.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import type { World } from '../../base/world.ts';
import type { ShellEnvironmentPolicy } from '../process/command-environment.ts';
import { createLocalEnvironment, type LocalEnvironment, type LocalEnvironmentOptions } from './local-environment.ts';

/** A world with the real clock and real randomness. */
export const realWorld: World = {
  now: () => performance.now(),
  monotonic: () => performance.now(),
  uuid: () => randomUUID(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

export const PATH = '/usr/local/bin:/usr/bin:/bin';

export const KEEP_ALL: ShellEnvironmentPolicy = {
  inherit: 'all',
  ignoreDefaultExcludes: true,
  exclude: [],
  set: {},
  includeOnly: [],
};

export const neverAborted = new AbortController().signal;

/** An environment with the policy of its commands. */
export interface TestEnvironment extends LocalEnvironment {
  readonly policy: SandboxPolicy;
}

const FULL_ACCESS: SandboxPolicy = { mode: 'danger-full-access', writableRoots: [], network: true };

/** Creates an environment for a test, which has to close it. Without a policy the environment has no sandbox. */
export function testEnvironment({
  policy = FULL_ACCESS,
  ...options
}: Partial<LocalEnvironmentOptions> & { readonly policy?: SandboxPolicy } = {}): TestEnvironment {
  const environment = createLocalEnvironment({
    shell: '/bin/bash',
    baseEnv: { PATH, HOME: tmpdir() },
    environmentPolicy: KEEP_ALL,
    threadId: 'thread',
    version: '0.0.0',
    world: realWorld,
    ...options,
  });
  return { ...environment, policy };
}

export interface TestCommand {
  readonly terminal: Terminal;
  readonly live: string[];
  readonly exits: Exit[];
}

/** Opens `bash -c script`. */
export async function openScript(
  environment: TestEnvironment,
  script: string,
  options: { cwd?: string; login?: boolean; sandboxed?: boolean; tty?: true } = {},
): Promise<TestCommand> {
  const live: string[] = [];
  const exits: Exit[] = [];
  const terminal = await environment.open(
    {
      kind: 'command',
      argv: ['/bin/bash', options.login ? '-lc' : '-c', script],
      cwd: options.cwd ?? '/',
      login: options.login ?? false,
      escalate: false,
      ...(options.tty ? { tty: true } : {}),
      yieldMs: 10_000,
    },
    {
      callId: 'call_1',
      policy: environment.policy,
      sandboxed: options.sandboxed ?? true,
      onOutput: (text) => live.push(text),
      onExit: (exit) => exits.push(exit),
    },
  );
  return { terminal, live, exits };
}

/** Runs `bash -c script` to its end. */
export async function runScript(
  ...command: Parameters<typeof openScript>
): Promise<{ text: string; exitCode: number | null }> {
  const { terminal } = await openScript(...command);
  const { text, exitCode } = await terminal.collect(20_000, neverAborted);
  return { text, exitCode };
}

/** Waits until the terminal has printed a text. Returns all output so far. */
export async function until(terminal: Terminal, text: string): Promise<string> {
  let seen = '';
  while (!seen.includes(text)) {
    const { text: more, exitCode } = await terminal.collect(20, neverAborted);
    seen += more;
    if (exitCode !== null && !seen.includes(text)) throw new Error(`ended with ${exitCode}: ${seen}`);
  }
  return seen;
}
