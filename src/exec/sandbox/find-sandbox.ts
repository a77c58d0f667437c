import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { ToolFailure } from '../../base/errors.ts';
import type { SandboxMode, SandboxPolicy } from '../../base/policy.ts';
import { signal as sendSignal } from '../kill-tree.ts';
import { type BubblewrapFacts, bubblewrapArgv } from './bubblewrap.ts';
import { canonical, findWritablePaths, isInside } from './writable-paths.ts';

/** What keeps commands inside the policy on this machine. */
export type FoundSandbox =
  | { readonly type: 'bubblewrap'; readonly program: string; readonly mountProc: boolean; readonly superuser: boolean }
  /** `why` is what bwrap said, or that there is none. */
  | { readonly type: 'none'; readonly why: string };

export interface FindSandboxOptions {
  readonly policy: SandboxPolicy;
  /** Where systems install bubblewrap; tried first, since only there it may have privileges. */
  readonly systemProgram: string;
  /** Folders to search after that, separated by colons. */
  readonly path: string;
  /** A bwrap in there could be the model's own work. */
  readonly untrustedFolders: readonly string[];
  readonly signal: AbortSignal;
}

const PROBE_TIMEOUT_MS = 10_000;
const NOT_FOUND = 'not found';
const GIVEN_UP = 'it did not answer';

/** Looks for bubblewrap and tries it with the flags that commands will get. Never rejects. */
export async function findSandbox(options: FindSandboxOptions): Promise<FoundSandbox> {
  let why: string | undefined;
  for (const program of candidates(options)) {
    for (const mountProc of [true, false]) {
      const superuser = process.geteuid?.() === 0;
      const line = await probe(
        { program, mountProc, superuser, ...findWritablePaths(options.policy.writableRoots) },
        options,
      );
      if (line === undefined) return { type: 'bubblewrap', program, mountProc, superuser };
      why ??= line;
      if (!line.includes("Can't mount proc")) break;
    }
  }
  return { type: 'none', why: why ?? NOT_FOUND };
}

/** The failure of a command that may not run because nothing would keep it inside the policy. */
export function sandboxMissing(why: string, mode: SandboxMode): ToolFailure {
  return new ToolFailure(
    'permission',
    `No OS sandbox available: bubblewrap: ${why}. Commands will not run in ${mode} mode. ` +
      `To fix: ${hint(why)}. To run without a sandbox: --sandbox danger-full-access.`,
  );
}

function candidates(options: FindSandboxOptions): string[] {
  const untrusted = options.untrustedFolders.map((folder) => canonical(folder) ?? folder);
  const isTrusted = (path: string) => !untrusted.some((folder) => isInside(path, folder));
  const found = options.path
    .split(':')
    .filter(isAbsolute)
    .map((folder) => join(folder, 'bwrap'))
    .filter((program) => isTrusted(program) && isTrusted(canonical(program) ?? program));
  return [...new Set([options.systemProgram, ...found])].filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs `true`. Gives what went wrong, undefined when nothing did. */
function probe(facts: BubblewrapFacts, options: FindSandboxOptions): Promise<string | undefined> {
  const [program = '', ...flags] = bubblewrapArgv(options.policy, '/', facts);
  const { signal } = options;
  if (signal.aborted) return Promise.resolve(GIVEN_UP);
  return new Promise((resolve) => {
    const child = spawn(program, [...flags, 'true'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: `${options.path}:/usr/bin:/bin` },
      detached: true,
    });
    const finish = (line: string | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      child.stderr.destroy();
      resolve(line);
    };
    const giveUp = () => {
      // The whole group: a bwrap that loses its parent in the middle of setting up waits for it for ever.
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
      finish(GIVEN_UP);
    };
    const timer = setTimeout(giveUp, PROBE_TIMEOUT_MS);
    signal.addEventListener('abort', giveUp);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 4096) said += text;
    });
    child.on('error', (error) => finish(error.message));
    child.on('close', (code, name) => finish(code === 0 ? undefined : (lineOf(said) ?? `exited with ${code ?? name}`)));
  });
}

function lineOf(said: string): string | undefined {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((candidate) => candidate.startsWith('bwrap: ')) ?? lines[0];
  return line?.replace(/^bwrap: /, '').replace(/\.$/, '');
}

const HINTS: readonly (readonly [said: string, hint: string])[] = [
  [NOT_FOUND, 'apt/dnf/pacman install bubblewrap'],
  [
    'setting up uid map: Permission denied',
    'add an AppArmor profile that grants userns to /usr/bin/bwrap (kernel.apparmor_restrict_unprivileged_userns is 1)',
  ],
  [
    'Failed RTM_NEWADDR',
    'add an AppArmor profile that grants userns to /usr/bin/bwrap (kernel.apparmor_restrict_unprivileged_userns is 1)',
  ],
  [
    'No permissions to create new namespace',
    'let the container create namespaces (its seccomp profile forbids it), or set kernel.unprivileged_userns_clone to 1',
  ],
  ['namespaces exceeded', 'raise user.max_user_namespaces'],
  ['Creating new namespace failed', 'give the container CAP_SYS_ADMIN or let it create user namespaces'],
  ['Failed to make / slave', 'let the container mount (it, or AppArmor, forbids it)'],
];

function hint(why: string): string {
  if (process.platform !== 'linux') return 'run it on Linux, the only system with a sandbox so far';
  return (
    HINTS.find(([said]) => why.includes(said))?.[1] ??
    'run bwrap --ro-bind / / --unshare-user true to see what it lacks'
  );
}
