import type { ReasoningItem } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import { decodeOpaqueState, encodeOpaqueState, hasOpaqueState } from './opaque-state.ts';

/**
 * An event as clients can show and keep what it says of raw reasoning: as a summary, and sealed in the item, so that it
 * comes back to us with the next request. What a server has sealed itself stays as it is.
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
  const { details, extra } = decodeOpaqueState(encrypted_content) ?? { details: [], extra: new Map() };
  return {
    ...item,
    summary: text === '' ? summary : [{ type: 'summary_text', text }],
    content: null,
    encrypted_content: encodeOpaqueState({ text, details, extra }),
  };
}
