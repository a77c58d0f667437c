import { isInside } from '../../base/guarded-paths.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import { zeroTerminated } from '../process/zero-terminated.ts';
import { byDepth, type WritableRoot } from './writable-paths.ts';

/** What the flags depend on beside the policy. All paths are canonical. */
export interface BubblewrapFacts {
  /** Where bwrap is. */
  readonly program: string;
  /** Whether it may mount a new /proc. Some containers forbid it. */
  readonly mountProc: boolean;
  /** Whether it may make a user namespace. Root with all its rights can do without. */
  readonly userNamespace: boolean;
  /** Whether we run as root. */
  readonly superuser: boolean;
  /** The writable roots that exist, a root before what lies inside it. */
  readonly roots: readonly WritableRoot[];
  /** What stays read-only inside them. */
  readonly readOnly: readonly string[];
  /** Empty folders in them that stand for a name no command may take. */
  readonly stubs: readonly string[];
  /** Folders in them that may not be moved. */
  readonly pinned: readonly string[];
  /** What may not even be read. */
  readonly hidden: readonly HiddenPath[];
}

export interface HiddenPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** The descriptors from which bwrap reads the command's variables and the filter. */
const VARIABLES = '3';
const FILTER = '4';

/** The words to put before a command so that it runs under the policy. */
export function bubblewrapArgv(policy: SandboxPolicy, cwd: string, facts: BubblewrapFacts): string[] {
  const mounts = policy.mode === 'workspace-write' ? [...writableMounts(facts), ...hiding(facts)] : hiding(facts);
  // Bound after the others it would hide /dev and /proc.
  const rootMount = mounts.some(({ path, flags }) => path === '/' && flags[0] === '--bind') ? '--bind' : '--ro-bind';
  return [
    facts.program,
    // Before the variables, which are set as they are read.
    '--clearenv',
    ...['--args', VARIABLES],
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
    // Said explicitly, since bwrap leaves it out for root.
    ...(facts.userNamespace ? ['--unshare-user'] : []),
    '--unshare-pid',
    '--unshare-ipc',
    ...(policy.network ? [] : ['--unshare-net']),
    ...['--cap-drop', 'ALL'],
    ...['--chdir', cwd],
    '--',
  ];
}

/** The variables of a command as flags, which bwrap takes from a descriptor: a command line can be read by anyone. */
export function packBubblewrapVariables(variables: Readonly<Record<string, string>>): Uint8Array {
  const flags = Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]);
  return zeroTerminated(flags);
}

/** How many mounts a launch needs. */
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
  // In a new /proc root may change settings of the whole machine, whatever its capabilities.
  return superuser ? ['--proc', '/proc', '--remount-ro', '/proc'] : ['--proc', '/proc'];
}

/** Of two for the same path the later one counts. */
function writableMounts({ roots, pinned, readOnly, stubs }: BubblewrapFacts): Mount[] {
  return [
    ...roots.flatMap(({ path, children }) => (children ? [readOnlyBind(path), ...children.map(bind)] : [bind(path)])),
    // What has a mount on it cannot be renamed.
    ...pinned.map(bind),
    ...readOnly.map(readOnlyBind),
    ...stubs.map((path) => empty(path, '0555')),
  ];
}

function hiding({ hidden, roots }: BubblewrapFacts): Mount[] {
  return hidden.map(({ path, isFolder }) => {
    // A device that is bound cannot be opened.
    if (!isFolder) return { path, flags: ['--ro-bind', '/dev/null', path] };
    return empty(path, roots.some((root) => isInside(root.path, path)) ? '0111' : '0000');
  });
}
