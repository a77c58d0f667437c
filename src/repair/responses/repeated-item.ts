import type { Fields } from '../../wire/fields/request-fields.ts';
import { canonicalType } from '../../wire/responses/canonical-item.ts';
import { wordOf } from '../field-values.ts';
import { callSignature } from '../found-calls.ts';
import { isCallItem } from './call-items.ts';
import { textsOf } from './item-shapes.ts';
import type { CompletedItem, ResponsesRepairState } from './response-state.ts';

/** Reports whether an event completes an item again with the same content, which must not count twice. */
export function isRepeated(event: Fields, response: ResponsesRepairState): boolean {
  const item = event.item as Fields;
  if (response.state === 'given up' || response.completed.length === 0 || isOpen(event, response)) return false;
  return response.completed.some((before) => isSameItem(before, item, event) && saysTheSame(before, item));
}

/** Reports whether an event announces a completed call again. Only the end of the call shows whether it is the same. */
export function isAnnouncedAgain({ item }: Fields, { completed, items }: ResponsesRepairState): boolean {
  const { id, call_id } = item as Fields;
  if (!items.isClosed(id) || wordOf(call_id) === undefined) return false;
  return completed.some(({ came }) => came.id === id && came.call_id === call_id);
}

function isOpen({ item, output_index }: Fields, { items }: ResponsesRepairState): boolean {
  const { id } = item as Fields;
  return wordOf(id) === undefined ? items.isOpenAt(output_index) : items.isAnnouncedId(id);
}

/** Compares the ids of the items and of their calls. Items without ids must have the same index too. */
function isSameItem({ came, index }: CompletedItem, item: Fields, event: Fields): boolean {
  if (canonicalType(came) !== canonicalType(item) || wordOf(came.call_id) !== wordOf(item.call_id)) return false;
  const id = wordOf(item.id);
  return id === wordOf(came.id) && (id !== undefined || index === event.output_index);
}

function saysTheSame({ came, went }: CompletedItem, item: Fields): boolean {
  const said = contentOf(item);
  return contentOf(came) === said || (went !== undefined && contentOf(went) === said);
}

function contentOf(item: Fields): string {
  if (isCallItem(item)) return callSignature(item.name, item.arguments ?? item.input ?? item.action);
  const { content, summary, encrypted_content } = item;
  const texts = typeof content === 'string' ? [content] : textsOf(content);
  return JSON.stringify([texts, textsOf(summary), wordOf(encrypted_content)]);
}
