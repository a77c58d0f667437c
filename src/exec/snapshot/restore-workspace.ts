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

export interface RestoreOptions {
  readonly home: string;
  /** The name of the snapshot. */
  readonly name: string;
  readonly dryRun: boolean;
  readonly isRepository: (root: string) => boolean;
  readonly barred: readonly string[];
  readonly env: Workspace['env'];
  /** For whom. */
  readonly thread: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** What was restored, or would be. */
export interface Restored {
  readonly root: string;
  readonly steps: readonly RestoreStep[];
  /** Those of the steps that were not carried out. */
  readonly failed: readonly FailedStep[];
  /** What the snapshot does not hold, though it was there. Ignored files are not named. */
  readonly left: readonly { readonly path: string; readonly reason: LeftReason }[];
  /** The workspace as it was before; null where nothing was to be changed. */
  readonly undo: string | null;
}

/** Whoever asks for a restore waits for it, and must be able to take it back. */
const NO_LIMITS = {
  maxFiles: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  maxFileBytes: Number.POSITIVE_INFINITY,
};

/**
 * Makes a workspace what it was in a snapshot, after it kept it as it is now. Ignored files stay as they are. Throws
 * `UserError` where the snapshot is gone or damaged, and whatever prevents to keep the present state; nothing was changed then.
 */
export async function restoreWorkspace(options: RestoreOptions): Promise<Restored> {
  const { home, name, dryRun, now, signal } = options;
  const { key, id } = parseSnapshotName(name);
  const paths = snapshotPaths(home, key);
  const root = presentRoot(readWorkspacePath(paths));
  const act = async () => {
    const kept = readTree(openObjects(paths.objects), id);
    const present = await takePresent(options, paths, root, kept);
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

/** Once files are being written, all of them are. */
const NEVER = new AbortController().signal;

function takePresent(options: RestoreOptions, paths: SnapshotPaths, root: string, kept: Tree): Promise<Scanned> {
  const { home, isRepository, barred, env, dryRun, now, signal } = options;
  const workspace = { root, env, isRepository: isRepository(root), barred: [...barred, home] };
  // Also what is ignored by now: it is written over, so it must be possible to bring it back.
  const also = [...kept.entries].flatMap(([path, { kind }]) => (kind === 'folder' ? [] : [path]));
  // What the snapshot left out is not touched, so it need not be brought back, however large it is.
  const skip = kept.left;
  return takeSnapshot({ workspace, paths, limits: NO_LIMITS, dryRun, also, skip, now, signal });
}

function presentRoot(root: string): string {
  try {
    if (realpathSync.native(root) === root) return root;
  } catch {
    // Said below.
  }
  throw new UserError('not_found', `The workspace ${root} is no longer there.`);
}

function leftIn({ left }: Tree): Restored['left'] {
  const named = [...left].filter(([, reason]) => reason !== 'ignored');
  return named.map(([path, reason]) => ({ path: shownPath(path), reason }));
}
