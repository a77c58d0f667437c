import { UserError } from '../../base/errors.ts';
import { decodeLines } from '../../log/decode-lines.ts';
import { findSnapshot } from '../thread/find-snapshot.ts';
import { type RestoreReport, restoreFiles } from '../thread/restore-files.ts';
import type { SnapshotterParts } from '../thread/snapshot-workspace.ts';
import { findThread, type ThreadReference } from './find-thread.ts';

export type { RestoreChange, RestoreReport } from '../thread/restore-files.ts';

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

/** Restores the workspace of a thread. Throws `UserError` before any file is changed. */
export async function restoreThread(
  parts: SnapshotterParts,
  thread: ThreadReference,
  { turn, tree, dryRun = false, signal = new AbortController().signal }: RestoreThreadOptions,
): Promise<RestoreReport> {
  const { store } = parts;
  if ((turn === undefined) === (tree === undefined))
    throw new UserError('invalid_input', 'Name a turn or a snapshot to restore.');
  const { id } = await findThread(store, thread);
  const lines = () => decodeLines(store.read(id), (line) => line);
  const name = tree ?? (await findSnapshot(lines(), turn ?? 0)).tree;
  if (name === null) return { dryRun, tree: null, workspace: null, changes: [], left: [], undo: null };
  return restoreFiles(parts, { thread: id, name, dryRun, signal });
}
