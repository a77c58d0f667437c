import type { ThreadItem } from '../../base/event.ts';
import { briefItem } from '../../events/brief-item.ts';
import type { Turn } from '../turn-setup.ts';

/** Shows a completed item, and records it, because no other line contains it. */
export function noteItem(turn: Pick<Turn, 'id' | 'emit' | 'mention'>, item: ThreadItem, callId?: string): void {
  recordItem(turn, item, callId);
  turn.emit({ type: 'item.completed', item });
}

/** Records the current form of an item. */
export function recordItem(turn: Pick<Turn, 'id' | 'mention'>, item: ThreadItem, callId?: string): void {
  const call = callId === undefined ? {} : { call_id: callId };
  turn.mention({ type: 'oxbow', payload: { kind: 'item', turn_id: turn.id, ...call, item: briefItem(item) } });
}
