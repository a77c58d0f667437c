import { cutMiddle, type TextLimit } from '../base/bound-text.ts';
import type { ThreadItem } from '../base/event.ts';

/** Limit for each text of an item in a log. */
export const ITEM_TEXT: TextLimit = { unit: 'bytes', limit: 4096 };

/** Limit for all diffs of one patch, in characters. Later diffs are left out. */
const MOST_DIFFS = 64 * 1024;

/**
 * Returns an item in the form for a log. Long texts lose their middle, since whole outputs and files do not belong
 * there.
 */
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
