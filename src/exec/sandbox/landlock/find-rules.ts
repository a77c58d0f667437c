import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../../base/guarded-paths.ts';
import type { WritableRoot } from '../writable-paths.ts';
import { ACCESS, FOR_FILES } from './access.ts';
import type { LandlockRule } from './pack-instructions.ts';

export interface RuleFacts {
  /** Writable roots; empty where nothing may be written. */
  readonly roots: readonly WritableRoot[];
  /** Paths that may not even be read. */
  readonly hidden: readonly string[];
  /** Whether we run as root, which could read whole disks through their devices, hidden paths included. */
  readonly superuser: boolean;
}

/** Devices that every program may need. Shared memory belongs to them. */
const DEVICES = 'null zero full random urandom tty ptmx pts'.split(' ').map((name) => `/dev/${name}`);
const SHARED_MEMORY = '/dev/shm';

/**
 * Returns the rules of a policy. Landlock can only allow, so a denied path is left out by naming everything next to it.
 */
export function findRules({ roots, hidden, superuser }: RuleFacts): LandlockRule[] {
  const left = superuser ? [...hidden, '/dev'] : hidden;
  const listed = superuser && hidden.length === 0 ? [{ path: '/', access: ACCESS.list }] : [];
  const writable = roots.flatMap(({ path, children }) => children ?? [path]);
  return [
    ...listed,
    ...allBut(left).map((path) => ({ path, access: ACCESS.read })),
    ...writable.map((path) => ({ path, access: ACCESS.write })),
    ...DEVICES.map((path) => ({ path, access: ACCESS.device })),
    { path: SHARED_MEMORY, access: ACCESS.read | ACCESS.write },
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
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return [{ path, access: stat.isDirectory() ? access : access & FOR_FILES }];
}
