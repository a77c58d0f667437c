import { messageOf } from '../../base/errors.ts';
import type { KeptWorkspace, Turn } from '../turn-setup.ts';

/**
 * Before the turn's first action that may change something: keeps the workspace as it is, where that is wanted. Every such
 * action waits for it, also those that begin meanwhile. That it could not be kept fails nothing; throws where the turn was
 * aborted, or the log cannot be written.
 */
export function keepWorkspace(turn: Turn): Promise<void> {
  turn.workspaceKept ??= keepOnce(turn);
  return turn.workspaceKept;
}

async function keepOnce(turn: Turn): Promise<void> {
  const { keepWorkspace } = turn.thread;
  if (!keepWorkspace) return;
  const kept = await attempt(() => keepWorkspace(turn.signal));
  turn.signal.throwIfAborted();
  const fields = 'tree' in kept ? { tree: kept.tree } : { tree: null, reason: kept.reason };
  await turn.note({ type: 'oxbow', payload: { kind: 'snapshot', turn_id: turn.id, ...fields } });
}

async function attempt(keep: () => Promise<KeptWorkspace>): Promise<KeptWorkspace> {
  try {
    return await keep();
  } catch (error) {
    return { reason: messageOf(error) };
  }
}
