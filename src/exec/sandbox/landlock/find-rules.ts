import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../../base/guarded-paths.ts';
import type { WritableRoot } from '../writable-paths.ts';
import { ACCESS, FOR_FILES } from './access.ts';
import type { LandlockRule } from './pack-instructions.ts';

export interface RuleFacts {
  /** The writable roots; none where nothing may be written. */
  readonly roots: readonly WritableRoot[];
  /** What may not even be read. */
  readonly hidden: readonly string[];
  /** Root could read whole disks, and what is hidden with them, through their devices. */
  readonly superuser: boolean;
}

/** Devices that every program may need. Memory that programs share is among them. */
const DEVICES = 'null zero full random urandom tty ptmx pts'.split(' ').map((name) => `/dev/${name}`);
const SHARED_MEMORY = '/dev/shm';

/** The rules that come to the policy. Landlock only allows, so what is denied is left out by naming all beside it. */
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

/** The fewest paths that have everything below them but these. Links are left out: what they lead to has a path of its own. */
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
    // What we may not list, a command may not read.
    return [];
  }
}

function fitting({ path, access }: LandlockRule): LandlockRule[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  return [{ path, access: stat.isDirectory() ? access : access & FOR_FILES }];
}
