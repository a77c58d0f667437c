import { ok } from 'node:assert/strict';
import type { CommandAction } from '../../base/action.ts';
import type { Collected, Environment, Exit, Files, Terminal } from '../../base/environment.ts';
import { ToolFailure } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';

/** An environment with the operations that every case needs. */
export interface EnvironmentScene {
  readonly environment: Environment;
  readonly cwd: string;
  readonly files: Files;
  readonly hasTerminals: boolean;
  /** Starts a script in the working directory. */
  start(script: string, more?: Partial<CommandAction>): Promise<StartedCase>;
  /** Runs a script to its end. */
  run(script: string, more?: Partial<CommandAction>): Promise<Collected>;
  at(name: string): string;
}

export interface StartedCase {
  readonly terminal: Terminal;
  /** Pieces of output that arrived while the script ran. */
  readonly pieces: string[];
  readonly exits: Exit[];
}

export interface SceneParts {
  readonly environment: Environment;
  readonly cwd: string;
  readonly policy?: SandboxPolicy;
  readonly terminals?: boolean;
}

export const NEVER: AbortSignal = new AbortController().signal;
const FULL_ACCESS: SandboxPolicy = { mode: 'danger-full-access', writableRoots: [], network: true };
const LONG_MS = 20_000;

export function createEnvironmentScene({
  environment,
  cwd,
  policy = FULL_ACCESS,
  terminals,
}: SceneParts): EnvironmentScene {
  let calls = 0;
  async function start(script: string, more: Partial<CommandAction> = {}): Promise<StartedCase> {
    const pieces: string[] = [];
    const exits: Exit[] = [];
    const argv = ['/bin/sh', '-c', script];
    const action: CommandAction = {
      kind: 'command',
      argv,
      cwd,
      login: false,
      escalate: false,
      yieldMs: LONG_MS,
      ...more,
    };
    const terminal = await environment.open(action, {
      callId: `call_${++calls}`,
      policy,
      sandboxed: true,
      onOutput: (text) => void pieces.push(text),
      onExit: (exit) => void exits.push(exit),
    });
    return { terminal, pieces, exits };
  }
  return {
    environment,
    cwd,
    files: environment.files(policy),
    hasTerminals: terminals ?? false,
    start,
    async run(script, more) {
      const { terminal } = await start(script, more);
      return collectAll(terminal);
    },
    at: (name) => `${cwd}/${name}`,
  };
}

/** Collects output until the process has ended. */
export async function collectAll(terminal: Terminal): Promise<Collected> {
  let text = '';
  for (;;) {
    const collected = await terminal.collect(LONG_MS, NEVER);
    text += collected.text;
    if (collected.exitCode !== null) return { ...collected, text };
  }
}

/** Fails unless the work is refused with a `ToolFailure`. */
export async function refused(work: Promise<unknown>, what: string): Promise<ToolFailure> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  ok(error instanceof ToolFailure, `${what}: expected a ToolFailure, got ${String(error ?? 'no error')}`);
  return error;
}

/** Waits until a condition holds. Fails after ten seconds. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await condition())) {
    ok(Date.now() < end, `did not happen within ten seconds: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
