import { realpathSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { applyRestore, type FailedStep } from './apply-restore.ts';
import { openObjects } from './object-store.ts';
import { createPace } from './pace.ts';
import { planRestore, type RestoreStep, withoutRespelled } from './plan-restore.ts';
import { readTree } from './read-tree.ts';
import type { Scanned } from './scan-workspace.ts';
import { addRecord } from './snapshot-list.ts';
import {
  parseSnapshotName,
  readWorkspacePath,
  type SnapshotPaths,
  snapshotName,
  snapshotPaths,
} from './snapshot-paths.ts';
import { withStoreLock } from './store-lock.ts';
import { takeSnapshot, type Workspace } from './take-snapshot.ts';
import { type LeftReason, shownPath, type Tree } from './tree.ts';

export interface RestoreOptions extends Pick<Workspace, 'env' | 'untrustedFolders'> {
  readonly home: string;
  /** Name of the snapshot. */
  readonly name: string;
  readonly dryRun: boolean;
  readonly isRepository: (root: string) => boolean;
  readonly barred: readonly string[];
  /** Thread for which the workspace is restored. */
  readonly thread: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** The result of a restore, or of a dry run. */
export interface Restored {
  readonly root: string;
  readonly steps: readonly RestoreStep[];
  /** Steps that failed. */
  readonly failed: readonly FailedStep[];
  /** Paths that existed but are not part of the snapshot. Ignored files are not named. */
  readonly left: readonly { readonly path: string; readonly reason: LeftReason }[];
  /** Name of a snapshot of the workspace before the restore; null where nothing had to change. */
  readonly undo: string | null;
}

/** The user waits for a restore, and must be able to undo it. */
const NO_LIMITS = {
  maxFiles: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxFileBytes: Number.POSITIVE_INFINITY,
};

/**
 * Restores a workspace from a snapshot, after a snapshot of its present state. Ignored files stay as they are. Throws
 * `UserError` where the snapshot is missing or damaged, and any error of the new snapshot; nothing has changed then.
 */
export async function restoreWorkspace(options: RestoreOptions): Promise<Restored> {
  const { home, name, dryRun, now, signal } = options;
  const { key, id } = parseSnapshotName(name);
  const paths = snapshotPaths(home, key);
  const root = presentRoot(readWorkspacePath(paths));
  const act = async () => {
    const kept = readTree(openObjects(paths.objects), id);
    const present = await takePresent(options, paths, root, [kept]);
    const steps = planRestore(kept, withoutRespelled(kept, present, present.stats));
    const result = { root, steps, left: leftIn(kept) };
    if (dryRun || steps.length === 0) return { ...result, failed: [], undo: null };
    addRecord(paths.kept, { id: present.id, thread: options.thread, at: now() });
    const objects = openObjects(paths.objects);
    const { stats } = present;
    const failed = await applyRestore(steps, { root, kept, objects, stats, pace: createPace(NEVER) });
    return { ...result, failed, undo: snapshotName(paths, present.id) };
  };
  return dryRun ? act() : withStoreLock(paths.folder, { now, signal }, act);
}

/** Once the first file is written, all of them are. */
const NEVER = new AbortController().signal;

export type PresentOptions = Omit<RestoreOptions, 'name' | 'thread'>;

/** Takes a snapshot of the present workspace, to be compared with others. */
export function takePresent(
  options: PresentOptions,
  paths: SnapshotPaths,
  root: string,
  kept: readonly Tree[],
): Promise<Scanned> {
  const { home, isRepository, barred, env, dryRun, now, signal } = options;
  const untrustedFolders = [root, ...options.untrustedFolders];
  const workspace = { root, env, untrustedFolders, isRepository: isRepository(root), barred: [...barred, home] };
  // Includes files that are ignored by now: they are overwritten, so the undo must contain them.
  const also = new Set(
    kept.flatMap(({ entries }) => [...entries].flatMap(([path, { kind }]) => (kind === 'folder' ? [] : [path]))),
  );
  // Paths that the snapshot left out are not touched, so the undo need not contain them.
  const skip = kept.length === 1 ? kept[0]?.left : undefined;
  return takeSnapshot({ workspace, paths, limits: NO_LIMITS, dryRun, also, ...(skip && { skip }), now, signal });
}

/** Returns the path of a workspace. Throws `UserError` if it is gone. */
export function presentRoot(root: string): string {
  try {
    if (realpathSync.native(root) === root) return root;
  } catch {
    // Reported below.
  }
  throw new UserError('not_found', `The workspace ${root} is no longer there.`);
}

/** Returns the paths that a snapshot left out, except ignored ones. */
export function leftIn({ left }: Tree): Restored['left'] {
  const named = [...left].filter(([, reason]) => reason !== 'ignored');
  return named.map(([path, reason]) => ({ path: shownPath(path), reason }));
}
