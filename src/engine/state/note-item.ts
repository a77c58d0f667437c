import type { ThreadItem } from '../../base/event.ts';
import { briefItem } from '../../events/brief-item.ts';
import type { Turn } from '../turn-setup.ts';

/** Shows an item that is complete, and keeps it in the log, which does not tell it otherwise. */
export function noteItem(turn: Pick<Turn, 'id' | 'emit' | 'mention'>, item: ThreadItem, callId?: string): void {
  recordItem(turn, item, callId);
  turn.emit({ type: 'item.completed', item });
}

/** Keeps an item in the log as it is now. */
export function recordItem(turn: Pick<Turn, 'id' | 'mention'>, item: ThreadItem, callId?: string): void {
  const call = callId === undefined ? {} : { call_id: callId };
  turn.mention({ type: 'oxbow', payload: { kind: 'item', turn_id: turn.id, ...call, item: briefItem(item) } });
}
