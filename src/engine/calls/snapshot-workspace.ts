import { messageOf } from '../../base/errors.ts';
import type { ThreadSetup, Turn, WorkspaceSnapshot } from '../turn-setup.ts';

/**
 * Takes the snapshot of the workspace that belongs to the turn, if the thread takes snapshots. Every action that may
 * change something waits for the snapshot, so it is taken before the first of them. A snapshot that cannot be taken
 * fails nothing. Throws when the turn was aborted or the log cannot be written.
 */
export function snapshotWorkspace(turn: Turn): Promise<void> {
  turn.workspaceSnapshot ??= snapshotOnce(turn);
  return turn.workspaceSnapshot;
}

async function snapshotOnce(turn: Turn): Promise<void> {
  const taken = await tryToSnapshot(turn.thread, turn.signal);
  if (!taken) return;
  turn.signal.throwIfAborted();
  const fields = 'tree' in taken ? { tree: taken.tree } : { tree: null, reason: taken.reason };
  await turn.note({ type: 'oxbow', payload: { kind: 'snapshot', turn_id: turn.id, ...fields } });
}

async function tryToSnapshot(thread: ThreadSetup, signal: AbortSignal): Promise<WorkspaceSnapshot | undefined> {
  try {
    return await thread.snapshotWorkspace?.(signal);
  } catch (error) {
    return { reason: messageOf(error) };
  }
}
