import type { PatchAction } from '../../base/action.ts';
import { messageOf, ToolFailure } from '../../base/errors.ts';
import type { FileChangeItem, ItemReason, ShownChange } from '../../base/event.ts';
import { noteItem } from '../state/note-item.ts';
import type { ThreadSetup, Turn } from '../turn-setup.ts';
import type { GitDiff } from './turn-diff.ts';

/** The parts of a turn that patches need. */
type PatchTurn = Pick<Turn, 'id' | 'emit' | 'mention' | 'signal' | 'diff'> & {
  readonly thread: Pick<ThreadSetup, 'gitDiff' | 'showPath'>;
};

/** Runs `write`, which changes files, and shows the change: before, after, and in the diff of the turn. */
export async function changeFiles(
  turn: PatchTurn,
  action: PatchAction,
  { id, callId, write }: { readonly id: string; readonly callId: string; write(): Promise<void> },
): Promise<void> {
  const item = await patchItem(turn, id, action);
  turn.signal.throwIfAborted();
  turn.emit({ type: 'item.started', item });
  try {
    await write();
  } catch (error) {
    const reason: ItemReason = { cause: 'other', message: messageOf(error) };
    noteItem(turn, { ...item, status: 'failed', reason }, callId);
    if (!(error instanceof ToolFailure && error.effect === 'none')) forgetDiff(turn, error);
    throw error;
  }
  turn.diff.add(action.changes);
  noteItem(turn, { ...item, status: 'completed' }, callId);
}

/** Shows a patch that may not be applied. */
export async function showDeclinedPatch(
  turn: PatchTurn,
  action: PatchAction,
  { id, callId, reason }: { readonly id: string; readonly callId: string; readonly reason: ItemReason },
): Promise<void> {
  const item = await patchItem(turn, id, action);
  noteItem(turn, { ...item, status: 'declined', reason }, callId);
}

/** Shows the net change of the turn's patches so far, if it has changed. */
export async function showTurnDiff(turn: PatchTurn): Promise<void> {
  const diff = await turn.diff.take();
  if (diff !== undefined) turn.emit({ type: 'turn.diff', diff });
}

async function patchItem({ thread }: PatchTurn, id: string, { changes }: PatchAction): Promise<FileChangeItem> {
  const gitDiff = await thread.gitDiff();
  const shown = changes.map((change) => shownChange(change, gitDiff, thread.showPath));
  return { type: 'file_change', id, changes: shown, status: 'running' };
}

function shownChange(
  { type, path, to, before, after }: PatchAction['changes'][number],
  gitDiff: GitDiff,
  showPath: (path: string) => string,
): ShownChange {
  const moved = to === undefined ? {} : { to };
  const diff = gitDiff({ path: showPath(path), ...(to === undefined ? {} : { to: showPath(to) }), before, after });
  return { kind: type, path, ...moved, diff };
}

function forgetDiff(turn: PatchTurn, error: unknown): void {
  turn.diff.invalidate();
  const message = `A patch may have been applied in part, so there is no diff of this turn: ${messageOf(error)}`;
  turn.emit({ type: 'warning', code: 'diff', message });
}
