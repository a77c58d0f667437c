import type { Turn } from './turn-setup.ts';

/** Before the turn's first action that may change something: keeps the workspace as it is, where that is wanted. */
export async function keepWorkspace(turn: Turn): Promise<void> {
  const { keepWorkspace } = turn.setup;
  if (turn.workspaceKept || !keepWorkspace) return;
  turn.workspaceKept = true;
  const kept = await keepWorkspace(turn.signal);
  const fields = 'tree' in kept ? { tree: kept.tree } : { tree: null, reason: kept.reason };
  await turn.record({ type: 'oxbow', payload: { kind: 'snapshot', turn_id: turn.id, ...fields } });
}
