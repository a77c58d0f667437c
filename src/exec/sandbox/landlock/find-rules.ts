import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../../base/guarded-paths.ts';
import type { Place } from '../places.ts';
import type { WritableRoot } from '../writable-paths.ts';
import { ACCESS, FOR_FILES } from './access.ts';
import type { LandlockRule } from './pack-instructions.ts';

export interface RuleFacts {
  /** Writable roots; empty where nothing may be written. */
  readonly roots: readonly WritableRoot[];
  /** Paths in the roots that may not be written to. */
  readonly kept: readonly string[];
  /** Paths that may not even be read. */
  readonly hidden: readonly Pick<Place, 'path' | 'isFolder'>[];
  /** Paths that may not be read once they exist. */
  readonly awaited: readonly string[];
  /** Whether we run as root, which could read whole disks through their devices, hidden paths included. */
  readonly superuser: boolean;
}

/** Devices that every program may need. Shared memory belongs to them. */
const DEVICES = 'null zero full random urandom tty ptmx pts'.split(' ').map((name) => `/dev/${name}`);
const SHARED_MEMORY = '/dev/shm';
/** Standard streams, which a command may open again by name. They are pipes or terminals. */
const STREAMS: readonly LandlockRule[] = [0, 1, 2].map((path) => ({ path, access: ACCESS.device & FOR_FILES }));

/**
 * Returns the rules of a policy. Landlock can only allow, so a denied path is left out by naming everything next to it.
 */
export function findRules({ roots, kept, hidden, awaited, superuser }: RuleFacts): LandlockRule[] {
  const left = [...hidden.map(({ path }) => path), ...awaited, ...(superuser ? ['/dev'] : [])];
  // Commands may know the names in a folder with a hidden file.
  const folders = hidden.filter(({ isFolder }) => isFolder).map(({ path }) => path);
  const listed = left.length === 0 ? [] : allBut(folders);
  const writable = roots.flatMap(({ path, children }) => (children ?? [path]).flatMap((child) => allBut(kept, child)));
  return [
    ...listed.map((path) => ({ path, access: ACCESS.list })),
    ...allBut(left).map((path) => ({ path, access: ACCESS.read })),
    ...writable.map((path) => ({ path, access: ACCESS.write })),
    ...DEVICES.map((path) => ({ path, access: ACCESS.device })),
    { path: SHARED_MEMORY, access: ACCESS.read | ACCESS.write },
    ...STREAMS,
  ].flatMap(fitting);
}

/** Facts about the sandbox of bubblewrap that contains Landlock. */
export interface InnerFacts {
  readonly roots: readonly WritableRoot[];
  /** Paths that the user hides. Mounts hide them too, but not a file that takes the place of one. */
  readonly denied: readonly Pick<Place, 'path'>[];
  /** Whether the sandbox has a /proc of its own. */
  readonly mountProc: boolean;
}

/**
 * Returns the rules inside bubblewrap. Landlock denies what mounts do not: writing to a named pipe outside, or to a folder
 * that took the place of a root after its examination, and reading a file that took the place of a hidden one. Where
 * commands can write, reading stays to the mounts, since commands could not read their own new files.
 */
export function findInnerRules({ roots, denied, mountProc }: InnerFacts): LandlockRule[] {
  const own = ['/dev', ...(mountProc ? ['/proc'] : [])];
  const writable = roots.flatMap(({ path, children }) => children ?? [path]);
  const outside = denied.map(({ path }) => path).filter((path) => !roots.some((root) => isInside(path, root.path)));
  return [
    { path: '/', access: ACCESS.list },
    ...allBut(outside).map((path) => ({ path, access: ACCESS.read })),
    ...[...own, ...writable].map((path) => ({ path, access: ACCESS.read | ACCESS.write })),
    ...STREAMS,
  ].flatMap(fitting);
}

/**
 * Returns the fewest paths that cover everything except `paths`. Links are left out: their targets have paths of their
 * own.
 */
function allBut(paths: readonly string[], folder = '/'): string[] {
  if (paths.includes(folder)) return [];
  if (!paths.some((path) => isInside(path, folder))) return [folder];
  return entriesOf(folder).flatMap((path) => allBut(paths, path));
}

function entriesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => !entry.isSymbolicLink()).map((entry) => join(folder, entry.name));
  } catch {
    // A folder that we may not list is unreadable for commands too.
    return [];
  }
}

function fitting({ path, access }: LandlockRule): LandlockRule[] {
  if (typeof path === 'number') return [{ path, access }];
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const fit = stat.isDirectory() ? access : access & FOR_FILES;
  return fit === 0 ? [] : [{ path, access: fit }];
}
