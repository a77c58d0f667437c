import { isInside } from '../../base/guarded-paths.ts';
import type { GitCaller } from '../git/git.ts';
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

/** A workspace, with the settings for reading it. */
export interface Workspace extends Omit<GitCaller, 'confine'> {
  /** Path without links. */
  readonly root: string;
  readonly isRepository: boolean;
  /** Absolute paths of files and folders that are not read. */
  readonly barred: readonly string[];
}

export interface TakeOptions {
  readonly workspace: Workspace;
  readonly paths: SnapshotPaths;
  readonly limits: SnapshotLimits;
  /** Whether nothing is stored. */
  readonly dryRun?: boolean;
  /** Files to keep besides those that git lists. */
  readonly also?: Iterable<string>;
  /** Paths to leave out besides those that git ignores. */
  readonly skip?: ReadonlyMap<string, LeftReason>;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/**
 * Takes a snapshot of a workspace. The store must be locked, except in a dry run. Throws `SnapshotFailure` and errors
 * of the system.
 */
export async function takeSnapshot(options: TakeOptions): Promise<Scanned> {
  const { workspace, paths, limits, dryRun = false, also = [], skip = new Map(), now, signal } = options;
  const { root } = workspace;
  const { maxFiles } = limits;
  const { emptyRepository } = paths;
  const listing = await listWorkspace({ ...workspace, emptyRepository, maxFiles, signal });
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
    // After a timeout the next snapshot need not read these files again.
    if (!dryRun) cache.save(finished);
  }
}

function barredIn({ root, barred }: Workspace): ReadonlySet<string> {
  const inside = barred.filter((path) => isInside(path, root));
  return new Set(inside.map((path) => diskPath(path.slice(root.length + 1))));
}
