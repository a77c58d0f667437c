import type { ReasoningItem } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { decodeOpaqueState, encodeOpaqueState, hasOpaqueState } from './opaque-state.ts';

/**
 * Converts raw reasoning in an event to a summary, which clients show, and seals it in the item, which clients send
 * back with the next request. Reasoning that a server encrypted stays unchanged.
 */
export function sealReasoning(event: ModelEvent): ModelEvent {
  if (event.type === 'reasoning.delta' && event.kind === 'raw') return { ...event, kind: 'summary' };
  if (event.type !== 'item.done' || event.item.type !== 'reasoning') return event;
  return { ...event, item: sealedItem(event.item) };
}

function sealedItem(item: ReasoningItem): ReasoningItem {
  const { content, encrypted_content, summary } = item;
  if (encrypted_content !== null && !hasOpaqueState(item)) return item;
  const text = (content ?? []).map((part) => part.text).join('');
  if (text === '' && encrypted_content === null) return item;
  return {
    ...item,
    summary: text === '' ? summary : [{ type: 'summary_text', text }],
    content: null,
    encrypted_content: encodeOpaqueState({ ...decodeOpaqueState(encrypted_content), text }),
  };
}
