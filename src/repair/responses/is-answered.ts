import type { Fields } from '../../wire/fields/request-fields.ts';
import { isBlank } from '../white-space.ts';
import { isCallItem } from './call-items.ts';
import { textsOf } from './item-shapes.ts';
import type { ResponsesRepairState } from './response-state.ts';

/** Reports whether the response has a text or a call. */
export function isAnswered({ completed, items, found }: ResponsesRepairState): boolean {
  if (found.length > 0 || completed.some(({ went }) => went !== undefined && isAnswer(went))) return true;
  return items.all.some((item) => item.type === 'call' || (item.type === 'message' && item.said));
}

/** Reports whether an item is a call or has a text. */
export function isAnswer(item: Fields): boolean {
  if (isCallItem(item)) return true;
  const { type, content } = item;
  return type === 'message' && !isBlank(typeof content === 'string' ? content : textsOf(content).join(''));
}
