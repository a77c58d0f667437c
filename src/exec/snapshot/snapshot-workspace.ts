import { realpathSync } from 'node:fs';
import { messageOf } from '../../base/errors.ts';
import { isInside } from '../../base/guarded-paths.ts';
import { codeOf } from '../files/system-error.ts';
import { SnapshotFailure } from './snapshot-failure.ts';
import { addRecord } from './snapshot-list.ts';
import { snapshotName, snapshotPaths, workspaceKey, writeWorkspacePath } from './snapshot-paths.ts';
import { withStoreLock } from './store-lock.ts';
import { type SnapshotLimits, takeSnapshot, type Workspace } from './take-snapshot.ts';
import { type LeftReason, shownPath } from './tree.ts';

export interface KeepOptions {
  readonly workspace: Workspace;
  readonly home: string;
  /** Home folder of the user. */
  readonly userFolder: string;
  readonly limits: SnapshotLimits;
  readonly timeoutMs: number;
  /** Thread for which the snapshot is taken. */
  readonly thread: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export interface KeptSnapshot {
  readonly name: string;
  /** Files that were left out though they are part of the work. */
  readonly leftOut: readonly { readonly path: string; readonly reason: LeftReason }[];
}

const PART_OF_THE_WORK: readonly LeftReason[] = ['large', 'unreadable', 'changing'];

/**
 * Takes a snapshot of a workspace, within the limits. A failure is a reason, which continues "The workspace was not
 * kept: …". Throws only after an abort of the signal.
 */
export async function keepWorkspace(options: KeepOptions): Promise<KeptSnapshot | { readonly reason: string }> {
  const { timeoutMs, signal } = options;
  const tooLong = AbortSignal.timeout(timeoutMs);
  try {
    return await keep(options, AbortSignal.any([signal, tooLong]));
  } catch (error) {
    signal.throwIfAborted();
    if (tooLong.aborted) return { reason: `it took longer than ${timeoutMs} ms (snapshots.timeout_ms)` };
    return { reason: reasonFor(error) };
  }
}

async function keep(options: KeepOptions, signal: AbortSignal): Promise<KeptSnapshot> {
  const { home, limits, thread, now } = options;
  const workspace = { ...options.workspace, barred: [...options.workspace.barred, home].map(realPath) };
  const root = realPath(workspace.root);
  refuseTooWide(root, realPath(options.userFolder));
  const paths = snapshotPaths(home, workspaceKey(root));
  return withStoreLock(paths.folder, { now, signal }, async () => {
    writeWorkspacePath(paths, root);
    const { id, left } = await takeSnapshot({ workspace: { ...workspace, root }, paths, limits, now, signal });
    addRecord(paths.kept, { id, thread, at: now() });
    const leftOut = [...left].filter(([, reason]) => PART_OF_THE_WORK.includes(reason));
    return {
      name: snapshotName(paths, id),
      leftOut: leftOut.map(([path, reason]) => ({ path: shownPath(path), reason })),
    };
  });
}

/**
 * Throws for a workspace that contains the home folder: much in there is not part of any project, and would be lost in
 * a restore.
 */
function refuseTooWide(root: string, userFolder: string): void {
  if (root === userFolder || isInside(userFolder, root))
    throw new SnapshotFailure(`${root} is not a project: it holds your whole home folder`);
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function reasonFor(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full';
  return error instanceof SnapshotFailure ? error.message : `it could not be stored: ${messageOf(error)}`;
}
