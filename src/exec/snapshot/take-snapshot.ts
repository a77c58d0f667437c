import { isInside } from '../../base/guarded-paths.ts';
import type { GitOptions } from '../git/git.ts';
import { listWorkspace } from './list-workspace.ts';
import { namesOnly, openObjects } from './object-store.ts';
import { createPace } from './pace.ts';
import { type Scanned, scanWorkspace } from './scan-workspace.ts';
import type { SnapshotPaths } from './snapshot-paths.ts';
import { openStatCache } from './stat-cache.ts';
import { diskPath, type LeftReason } from './tree.ts';

export interface SnapshotLimits {
  readonly maxFiles: number;
  readonly maxBytes: number;
  readonly maxFileBytes: number;
}

/** A workspace, and how it may be looked at. */
export interface Workspace {
  /** Without links. */
  readonly root: string;
  readonly isRepository: boolean;
  /** Files and folders that are not read, as absolute paths. */
  readonly barred: readonly string[];
  /** The variables of the user, for git. */
  readonly env: GitOptions['env'];
}

export interface TakeOptions {
  readonly workspace: Workspace;
  readonly paths: SnapshotPaths;
  readonly limits: SnapshotLimits;
  /** Whether it only looks, and keeps nothing. */
  readonly dryRun?: boolean;
  /** Files to keep beside those that git lists. */
  readonly also?: Iterable<string>;
  /** What is left out beside what git ignores. */
  readonly skip?: ReadonlyMap<string, LeftReason>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Keeps a workspace as it is. The place must be locked, unless it only looks. Throws `NotKept` and the system's errors. */
export async function takeSnapshot(options: TakeOptions): Promise<Scanned> {
  const { workspace, paths, limits, dryRun = false, also = [], skip = new Map(), now, signal } = options;
  const { root, isRepository, env } = workspace;
  const { maxFiles } = limits;
  const { emptyRepository } = paths;
  const listing = await listWorkspace({ root, isRepository, emptyRepository, env, maxFiles, signal });
  const real = openObjects(paths.objects);
  const objects = dryRun ? namesOnly(real) : real;
  const cache = openStatCache({ path: paths.cache, now, has: objects.has });
  const pace = createPace(signal);
  const barred = barredIn(workspace);
  let finished = false;
  try {
    const scanned = await scanWorkspace({ ...limits, root, listing, also, skip, barred, objects, cache, pace });
    finished = true;
    return scanned;
  } finally {
    // What was read before it took too long need not be read again.
    if (!dryRun) cache.save(finished);
  }
}

function barredIn({ root, barred }: Workspace): ReadonlySet<string> {
  const inside = barred.filter((path) => isInside(path, root));
  return new Set(inside.map((path) => diskPath(path.slice(root.length + 1))));
}
