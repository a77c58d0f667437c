import { type Item, isCall } from '../../base/item.ts';
import type { ModelEvent } from '../../base/model.ts';
import type { EncodeStreamOptions } from '../../base/wire.ts';
import { toFunctionForm } from '../lowering/function-form.ts';
import { failureBody } from './error-body.ts';
import { emptyMessage, inputText, spokenText, stopFields } from './message-fields.ts';
import { clientBlock } from './reasoning-blocks.ts';
import { writeUsage } from './usage-fields.ts';

/** Encodes a whole response: its complete items. A call that was cut off is left out. */
export function encodeBody(events: readonly ModelEvent[], { model, createdAt }: EncodeStreamOptions): unknown {
  const last = events.at(-1);
  if (last?.type === 'failed') return failureBody(last.code, last.message);
  const items = events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
  const id = events.find((event) => 'responseId' in event)?.responseId ?? `msg_${createdAt}`;
  const message = { ...emptyMessage(id, model), content: items.flatMap(blocksOf) };
  if (last?.type !== 'completed' && last?.type !== 'incomplete') return message;
  return { ...message, ...stopFields(last, items.some(isCall)), usage: writeUsage(last.usage) };
}

function blocksOf(item: Item): readonly object[] {
  if (item.type === 'message') {
    const text = spokenText(item);
    return text === '' ? [] : [{ type: 'text', text }];
  }
  if (item.type === 'reasoning') {
    const block = clientBlock(item);
    return block === undefined ? [] : [block];
  }
  if (!isCall(item)) return [];
  const { name, arguments: args } = toFunctionForm(item);
  return [{ type: 'tool_use', id: item.call_id, name, input: JSON.parse(inputText(args)) }];
}
