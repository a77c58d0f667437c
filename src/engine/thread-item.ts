import type { ThreadItem } from '../base/event.ts';
import { type Item, messageText } from '../base/item.ts';

/** What people are shown of an item that the model completed; calls are shown by what they do. */
export function completedItem(item: Item, showRaw: boolean): ThreadItem | null {
  if (item.type === 'message' && item.role === 'assistant') {
    return { type: 'agent_message', id: item.id ?? '', text: messageText(item) };
  }
  if (item.type === 'reasoning') {
    const summary = item.summary.map((part) => part.text).join('\n');
    const raw = item.content?.map((part) => part.text).join('') ?? '';
    const text = summary === '' && showRaw ? raw : summary;
    return text.trim() === '' ? null : { type: 'reasoning', id: item.id ?? '', text };
  }
  return null;
}
