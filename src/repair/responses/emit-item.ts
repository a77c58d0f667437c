import type { Fields } from '../../wire/fields/request-fields.ts';
import type { OwnType } from '../../wire/lowering/own-ids.ts';
import { itemEvents } from './made-items.ts';
import { madeItemId, type ResponsesRepairState } from './response-state.ts';

/** Emits an item that the server did not send as one, with all of its events. */
export function emitItem(fields: Fields & { readonly type: OwnType }, response: ResponsesRepairState): void {
  const index = response.items.takeIndex();
  const { type, ...rest } = fields;
  const item: Fields = { type, id: madeItemId(type, index, response), ...rest };
  for (const { type: event, ...about } of itemEvents(item, index)) response.output.make(String(event), about);
  response.completed.push({ came: item, went: item });
  response.changed = true;
}
