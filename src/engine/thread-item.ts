import type { ThreadItem } from '../base/event.ts';
import { type Item, messageText } from '../base/item.ts';

/** What people are shown of an item that the model completed; calls are shown by what they do. */
export function completedItem(item: Item): ThreadItem | null {
  if (item.type === 'message' && item.role === 'assistant') {
    return { type: 'agent_message', id: item.id ?? '', text: messageText(item) };
  }
  if (item.type === 'reasoning') {
    const text = item.summary.map((part) => part.text).join('\n');
    return text.trim() === '' ? null : { type: 'reasoning', id: item.id ?? '', text };
  }
  return null;
}
