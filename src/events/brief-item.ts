import { cutMiddle, type TextLimit } from '../base/bound-text.ts';
import type { ThreadItem } from '../base/event.ts';

/** The bound on each text of an item in a log. */
export const ITEM_TEXT: TextLimit = { unit: 'bytes', limit: 4096 };

/** The bound on the diffs of one patch together, in characters. Those after it are left out. */
const MOST_DIFFS = 64 * 1024;

/** Returns an item as a log keeps it: whole outputs and files do not belong there, so long texts lose their middle. */
export function briefItem(item: ThreadItem): ThreadItem {
  switch (item.type) {
    case 'command':
      return { ...item, output: cutMiddle(item.output, ITEM_TEXT) };
    case 'file_change': {
      let left = MOST_DIFFS;
      const changes = item.changes.map((change) => {
        const diff = left > 0 ? cutMiddle(change.diff, ITEM_TEXT) : '';
        left -= diff.length;
        return { ...change, diff };
      });
      return { ...item, changes };
    }
    default:
      return item;
  }
}
