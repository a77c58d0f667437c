import { messageOf, UserError } from '../../base/errors.ts';
import { findProjectRoot } from '../../config/project.ts';
import type { FailedStep } from '../../exec/snapshot/apply-restore.ts';
import type { RestoreStep } from '../../exec/snapshot/plan-restore.ts';
import { type Restored, restoreWorkspace } from '../../exec/snapshot/restore-workspace.ts';
import { SnapshotFailure } from '../../exec/snapshot/snapshot-failure.ts';
import { LEFT_REASONS, shownPath } from '../../exec/snapshot/tree.ts';
import { decodeLines } from '../../log/decode-lines.ts';
import type { SnapshotterParts } from '../thread/snapshot-workspace.ts';
import { findSnapshot } from './find-snapshot.ts';
import { findThread, type ThreadReference } from './find-thread.ts';

/** Options of `restore`. */
export interface RestoreThreadOptions {
  /** Number of the turn, counted from 1. The workspace is restored to its state before this turn changed anything. */
  readonly turn?: number;
  /** Name of a snapshot, instead of a turn. */
  readonly tree?: string;
  /** Whether to only report the changes. */
  readonly dryRun?: boolean;
  /** Cancels the restore until the first file is changed. */
  readonly signal?: AbortSignal;
}

/** Changes that a restore made, or would make. */
export interface RestoreReport {
  readonly dryRun: boolean;
  /** The snapshot. Null when nothing has changed since the turn. */
  readonly tree: string | null;
  readonly workspace: string | null;
  readonly changes: readonly RestoreChange[];
  /** Files that existed when the snapshot was made and are not in it. Files that git ignores are not listed. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
  /** The snapshot of the workspace from before the restore. Null when nothing was changed. */
  readonly undo: string | null;
}

/** A file that is, or would be, restored. */
export interface RestoreChange {
  /** Path relative to the workspace. */
  readonly path: string;
  readonly action: 'create' | 'update' | 'delete' | 'mode';
  /** Why the change failed. Null when it was made, or would be. */
  readonly failure: string | null;
}

/** Restores the workspace of a thread. Throws `UserError` before any file is changed. */
export async function restoreThread(
  parts: SnapshotterParts,
  thread: ThreadReference,
  { turn, tree, dryRun = false, signal = new AbortController().signal }: RestoreThreadOptions,
): Promise<RestoreReport> {
  const { config, world, store } = parts;
  if ((turn === undefined) === (tree === undefined))
    throw new UserError('invalid_input', 'Name a turn or a snapshot to restore.');
  const { id } = await findThread(store, thread);
  const lines = () => decodeLines(store.read(id), (line) => line);
  const name = tree ?? (await findSnapshot(lines(), turn ?? 0)).tree;
  if (name === null) return { dryRun, tree: null, workspace: null, changes: [], left: [], undo: null };
  const restored = await restore(() =>
    restoreWorkspace({
      home: config.home,
      name,
      dryRun,
      isRepository: (root) => findProjectRoot(root) === root,
      barred: config.policy.sandbox.denyRead ?? [],
      env: config.env,
      untrustedFolders: config.policy.sandbox.writableRoots,
      thread: id,
      now: world.now,
      signal,
    }),
  );
  return { dryRun, tree: name, ...reportOf(restored) };
}

/**
 * Runs a restore. Its snapshot of the current workspace comes first: a restore that could not be undone does not begin.
 */
async function restore(act: () => Promise<Restored>): Promise<Restored> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const why = error instanceof SnapshotFailure ? error.message : messageOf(error);
    throw new UserError('storage', `The workspace could not be kept as it is now, so nothing was restored: ${why}`, {
      cause: error,
    });
  }
}

function reportOf({ root, steps, failed, left, undo }: Restored): Omit<RestoreReport, 'dryRun' | 'tree'> {
  const failures = new Map(failed.map(({ step, reason }) => [keyOf(step), reason]));
  const planned = new Set(steps.map(keyOf));
  const further = failed.map(({ step }: FailedStep) => step).filter((step) => !planned.has(keyOf(step)));
  const changes = [...steps, ...further].map((step) => ({
    path: shownPath(step.path) + (step.type === 'mode' && step.isFolder ? '/' : ''),
    action: actionOf(step),
    failure: failures.get(keyOf(step)) ?? null,
  }));
  return {
    workspace: root,
    changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)),
    left: left.map(({ path, reason }) => ({ path, reason: LEFT_REASONS[reason] })),
    undo,
  };
}

const keyOf = ({ type, path }: RestoreStep) => `${type} ${path}`;

function actionOf(step: RestoreStep): RestoreChange['action'] {
  if (step.type !== 'write') return step.type;
  return step.isNew ? 'create' : 'update';
}
