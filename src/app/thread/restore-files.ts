import { messageOf, UserError } from '../../base/errors.ts';
import { findProjectRoot } from '../../config/project.ts';
import type { FailedStep } from '../../exec/snapshot/apply-restore.ts';
import type { RestoreStep } from '../../exec/snapshot/plan-restore.ts';
import { type Restored, type RestoreOptions, restoreWorkspace } from '../../exec/snapshot/restore-workspace.ts';
import { SnapshotFailure } from '../../exec/snapshot/snapshot-failure.ts';
import { LEFT_REASONS, shownPath } from '../../exec/snapshot/tree.ts';
import type { SnapshotterParts } from './snapshot-workspace.ts';

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

/** Restores the files of a snapshot. Throws `UserError` before any file is changed. */
export async function restoreFiles(
  parts: SnapshotterParts,
  { name, ...options }: Pick<RestoreOptions, 'thread' | 'name' | 'dryRun' | 'signal'>,
): Promise<RestoreReport> {
  const restored = await restore(() => restoreWorkspace({ ...placeOf(parts), ...options, name }));
  return { dryRun: options.dryRun, tree: name, ...reportOf(restored) };
}

/** Returns the settings of an agent for reading its workspace. */
export function placeOf({ config, world }: SnapshotterParts) {
  const { home, env, policy } = config;
  return {
    home,
    isRepository: (root: string) => findProjectRoot(root) === root,
    barred: policy.sandbox.denyRead ?? [],
    env,
    untrustedFolders: policy.sandbox.writableRoots,
    now: world.now,
  };
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

/** Returns the report of a restore. */
export function reportOf({ root, steps, failed, left, undo }: Restored): Omit<RestoreReport, 'dryRun' | 'tree'> {
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
