import type { ThreadItem } from '../../base/event.ts';

/** Reports whether an item has more than the scrollback may show, which the pager then does. */
export function isFolded(item: ThreadItem): boolean {
  if (item.type === 'command') return item.output.trim() !== '';
  if (item.type === 'file_change') return item.changes.length > 0;
  return item.type === 'tool_call' && item.output !== null;
}
