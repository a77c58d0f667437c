import type { SandboxPolicy } from '../../base/policy.ts';

/** What the flags depend on beside the policy. All paths are canonical. */
export interface BubblewrapFacts {
  /** Where bwrap is. */
  readonly program: string;
  /** Whether it may mount a new /proc. Some containers forbid it. */
  readonly mountProc: boolean;
  /** Whether we run as root. */
  readonly superuser: boolean;
  /** The writable roots that exist, none of them inside another. */
  readonly writable: readonly string[];
  /** What stays read-only inside them. */
  readonly readOnly: readonly string[];
}

/** The words to put before a command so that it runs under the policy. The order of the mounts matters. */
export function bubblewrapArgv(policy: SandboxPolicy, cwd: string, facts: BubblewrapFacts): string[] {
  const writable = policy.mode === 'workspace-write' ? facts.writable : [];
  // Bound last it would hide /dev and /proc.
  const rootMount = writable.includes('/') ? '--bind' : '--ro-bind';
  return [
    facts.program,
    '--die-with-parent',
    '--new-session',
    ...[rootMount, '/', '/'],
    ...['--dev', '/dev'],
    ...(facts.mountProc ? ['--proc', '/proc'] : []),
    // In a new /proc root may change the whole machine's settings, whatever its capabilities.
    ...(facts.mountProc && facts.superuser ? ['--ro-bind', '/proc/sys', '/proc/sys'] : []),
    ...writable.filter((path) => path !== '/').flatMap((path) => ['--bind', path, path]),
    ...(writable.length === 0 ? [] : facts.readOnly.flatMap((path) => ['--ro-bind', path, path])),
    // Said explicitly, since bwrap leaves it out for root.
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    ...(policy.network ? [] : ['--unshare-net']),
    ...['--cap-drop', 'ALL'],
    ...['--chdir', cwd],
    '--',
  ];
}
