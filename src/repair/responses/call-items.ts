import type { Fields } from '../../wire/fields/request-fields.ts';
import { callSignature, isTwin } from '../found-calls.ts';
import type { CallSegment } from '../text/segment.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** Reports whether an item is a call. */
export function isCallItem({ type }: Fields): boolean {
  return type === 'function_call' || type === 'custom_tool_call' || type === 'local_shell_call';
}

/** Reports whether calls went out as items. */
export function hasCallItems(response: ResponsesRepairState): boolean {
  return callItemsOf(response).length > 0;
}

/**
 * Compares a block with the call items that went out: there are none, they have all calls of the block, or they differ.
 */
export function compareWithItems(block: CallSegment, response: ResponsesRepairState): 'none' | 'same' | 'others' {
  const items = callItemsOf(response);
  if (items.length === 0) return 'none';
  const known = new Set(items.map((item) => callSignature(item.name, item.arguments ?? item.input)));
  return isTwin(block, known) ? 'same' : 'others';
}

function callItemsOf({ completed }: ResponsesRepairState): readonly Fields[] {
  return completed.flatMap(({ went }) => (went !== undefined && isCallItem(went) ? [went] : []));
}
