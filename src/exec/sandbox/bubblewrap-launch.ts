import { lstatSync } from 'node:fs';
import { ToolFailure } from '../../base/errors.ts';
import type { SandboxPolicy } from '../../base/policy.ts';
import type { Launch } from '../process/launch.ts';
import { bubblewrapArgv, countMounts } from './bubblewrap.ts';
import type { FoundSandbox } from './find-sandbox.ts';
import { findSockets } from './find-sockets.ts';
import { innerWall } from './landlock/inner-wall.ts';
import { holdStubs, isStub } from './name-stubs.ts';
import type { PresentPlaces } from './places.ts';
import { createFilter } from './seccomp/create-filter.ts';
import { findWritablePaths } from './writable-paths.ts';

export interface BubblewrapCommand {
  readonly policy: SandboxPolicy;
  readonly places: PresentPlaces;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly sandbox: FoundSandbox & { readonly type: 'bubblewrap' };
  /** Shows a note to the user, each once. */
  tell(note: string): void;
}

/** Each mount takes a fraction of a millisecond, and more with the number of mounts. */
const MANY_MOUNTS = 40;
const TOO_MANY_MOUNTS = 400;

/** Returns the launch of a command in bubblewrap. Throws `ToolFailure` where the command cannot be confined. */
export function createBubblewrapLaunch({ policy, places, argv, cwd, sandbox, tell }: BubblewrapCommand): Launch {
  const paths = findWritablePaths(places, isStub);
  paths.notes.forEach(tell);
  const unixSockets = allowsUnixSockets(policy, tell);
  const hidden = [...places.hidden, ...(unixSockets ? findSockets() : [])];
  const stubs = holdStubs(paths.absent);
  try {
    const flags = bubblewrapArgv(policy, { ...sandbox, ...paths, stubs: stubs.paths, hidden });
    checkMounts(countMounts(flags), tell);
    const inner = innerWall(sandbox.arch, { ...sandbox, roots: paths.roots, denied: places.denied });
    // Internet sockets are allowed, since the network namespace leads nowhere.
    const filter = filterFor(sandbox, unixSockets);
    const launchIn = (folder: string, words: readonly string[], end: () => void): Launch => {
      const launcher = [...flags, '--chdir', folder, '--', ...inner.argv];
      const argv = [...launcher, ...words];
      const descriptors = [inner.variables, filter];
      return { argv, commandAt: launcher.length, descriptors, env: {}, supervises: false, end };
    };
    const launch = launchIn(cwd, argv, stubs.release);
    if (sandbox.landlock === undefined) return launch;
    const key = JSON.stringify([unixSockets, inner.limits, flags, [...new Set(flags)].map(identityOf)]);
    return { ...launch, sandbox: { key, launchWaiting: () => launchIn('/', [], holdStubs(paths.absent).release) } };
  } catch (error) {
    stubs.release();
    throw error;
  }
}

/** Filters of system calls by sandbox. Every command of a thread has the same one. */
const filters = new WeakMap<FoundSandbox, Map<boolean, Uint8Array>>();

function filterFor(sandbox: BubblewrapCommand['sandbox'], unixSockets: boolean): Uint8Array {
  const known = filters.get(sandbox) ?? new Map<boolean, Uint8Array>();
  filters.set(sandbox, known);
  const filter =
    known.get(unixSockets) ?? createFilter({ arch: sandbox.arch, internet: true, unixSockets, isolated: true });
  known.set(unixSockets, filter);
  return filter;
}

/** Returns the identity of the file at a path, which a mount keeps even if another file takes its place. */
function identityOf(flag: string): string {
  const stat = flag.startsWith('/') ? lstatSync(flag, { throwIfNoEntry: false }) : undefined;
  return stat === undefined ? '' : `${stat.dev}:${stat.ino}`;
}

function allowsUnixSockets(policy: SandboxPolicy, tell: (note: string) => void): boolean {
  if (policy.unixSockets !== 'private') return false;
  if (policy.network) tell(NO_PRIVATE_SOCKETS);
  return !policy.network;
}

const NO_PRIVATE_SOCKETS =
  'Commands get no unix sockets: unix_sockets = "private" needs the network to be off, since some of the machine are part of its network.';

function checkMounts(count: number, tell: (note: string) => void): void {
  if (count > TOO_MANY_MOUNTS) {
    throw new ToolFailure(
      'permission',
      `The command was not run: the sandbox would need ${count} mounts for it. Name fewer writable roots and fewer paths in deny_read.`,
    );
  }
  if (count > MANY_MOUNTS) {
    tell(
      `The sandbox needs ${count} mounts for each command, which takes time. Fewer writable roots, paths in deny_read or private sockets make it faster.`,
    );
  }
}
