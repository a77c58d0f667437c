import { byDepth, isInside } from '../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { zeroTerminated } from '../process/zero-terminated.ts';
import type { LandlockVariant } from './landlock/pack-instructions.ts';
import type { WritableRoot } from './writable-paths.ts';

/** Facts that the flags depend on, besides the policy. All paths are canonical. */
export interface BubblewrapFacts {
  /** Path of bwrap. */
  readonly program: string;
  /** Whether bwrap may mount a new /proc. Some containers forbid it. */
  readonly mountProc: boolean;
  /** Whether bwrap may make a user namespace. Root with all capabilities does not need one. */
  readonly userNamespace: boolean;
  /** Landlock as a second wall. Its launcher then reads the variables of the command, not bwrap. */
  readonly landlock?: LandlockVariant;
  /** Whether we run as root. */
  readonly superuser: boolean;
  /** Writable roots that exist. A root stands before the roots inside it. */
  readonly roots: readonly WritableRoot[];
  /** Paths inside the roots that stay read-only. */
  readonly readOnly: readonly string[];
  /** Empty folders in the roots. Each stands for a name that no command may create. */
  readonly stubs: readonly string[];
  /** Folders in the roots that may not be moved. */
  readonly pinned: readonly string[];
  /** Paths that may not even be read. */
  readonly hidden: readonly HiddenPath[];
}

export interface HiddenPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Descriptors from which bwrap, or a launcher inside it, reads the variables of the command and the filter. */
const VARIABLES = '3';
const FILTER = '4';

/** Returns bwrap and the flags that make a command run under the policy. */
export function bubblewrapArgv(policy: SandboxPolicy, facts: BubblewrapFacts): string[] {
  const mounts = policy.mode === 'workspace-write' ? [...writableMounts(facts), ...hiding(facts)] : hiding(facts);
  // A root mount after the others would hide /dev and /proc.
  const rootMount = mounts.some(({ path, flags }) => path === '/' && flags[0] === '--bind') ? '--bind' : '--ro-bind';
  return [
    facts.program,
    // Before `--args`, whose variables are set as they are read.
    '--clearenv',
    ...(facts.landlock === undefined ? ['--args', VARIABLES] : []),
    ...['--seccomp', FILTER],
    '--die-with-parent',
    '--new-session',
    ...[rootMount, '/', '/'],
    ...['--dev', '/dev'],
    ...procFlags(facts),
    ...mounts
      .filter(({ path }) => path !== '/')
      .sort((a, b) => byDepth(a.path, b.path))
      .flatMap(({ flags }) => flags),
    // Explicit, since bwrap omits it for root.
    ...(facts.userNamespace ? ['--unshare-user'] : []),
    '--unshare-pid',
    '--unshare-ipc',
    ...(policy.network ? [] : ['--unshare-net']),
    ...['--cap-drop', 'ALL'],
  ];
}

/**
 * Returns the variables of a command as flags. bwrap reads them from a descriptor, since any user can read a command
 * line.
 */
export function packBubblewrapVariables(variables: Readonly<Record<string, string>>): Uint8Array {
  const flags = Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]);
  return zeroTerminated(flags);
}

/** Returns the number of mounts that a launch needs. */
export function countMounts(argv: readonly string[]): number {
  return argv.filter((flag) => ['--bind', '--ro-bind', '--tmpfs'].includes(flag)).length;
}

interface Mount {
  readonly path: string;
  readonly flags: readonly string[];
}

const bind = (path: string): Mount => ({ path, flags: ['--bind', path, path] });
const readOnlyBind = (path: string): Mount => ({ path, flags: ['--ro-bind', path, path] });
const empty = (path: string, mode: string): Mount => ({ path, flags: ['--perms', mode, '--tmpfs', path] });

function procFlags({ mountProc, superuser }: BubblewrapFacts): string[] {
  if (!mountProc) return [];
  // In a new /proc, root may change settings of the whole machine even without capabilities.
  return superuser ? ['--proc', '/proc', '--remount-ro', '/proc'] : ['--proc', '/proc'];
}

/** Returns the mounts of the writable roots. Of two mounts of the same path the later one counts. */
function writableMounts({ roots, pinned, readOnly, stubs }: BubblewrapFacts): Mount[] {
  return [
    ...roots.flatMap(({ path, children }) => (children ? [readOnlyBind(path), ...children.map(bind)] : [bind(path)])),
    // A folder that carries a mount cannot be renamed.
    ...pinned.map(bind),
    ...readOnly.map(readOnlyBind),
    ...stubs.map((path) => empty(path, '0555')),
  ];
}

function hiding({ hidden, roots }: BubblewrapFacts): Mount[] {
  return hidden.map(({ path, isFolder }) => {
    // A bound device cannot be opened.
    if (!isFolder) return { path, flags: ['--ro-bind', '/dev/null', path] };
    return empty(path, roots.some((root) => isInside(root.path, path)) ? '0111' : '0000');
  });
}
