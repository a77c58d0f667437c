import type { Item, ReasoningItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { decodeOpaqueState, encodeOpaqueState } from '../../wire/opaque/opaque-state.ts';
import type { ProviderFields } from './language-model.ts';

/**
 * Returns the state of a reasoning item that holds the metadata of an item, such as the signature of a thought. The
 * provider wants it back with the next request, and no field of an item holds it.
 */
export function keepFields(itemId: string, fields: ProviderFields): string {
  return encodeOpaqueState({ details: [], extra: new Map([[itemId, fields]]) });
}

/** Returns a reasoning item that shows nothing and holds the metadata of another item. */
export function carrierOf(id: string, itemId: string, fields: ProviderFields): ReasoningItem {
  return { type: 'reasoning', id, summary: [], content: null, encrypted_content: keepFields(itemId, fields) };
}

/** Returns the metadata of the items of a history. */
export function keptFields(items: readonly Item[]): (item: Item) => ProviderFields | undefined {
  const kept = new Map<string, ProviderFields>();
  for (const item of items) {
    if (item.type !== 'reasoning') continue;
    for (const [id, fields] of decodeOpaqueState(item.encrypted_content)?.extra ?? []) {
      if (isFields(fields)) kept.set(id, fields);
    }
  }
  return ({ id }) => (typeof id === 'string' ? kept.get(id) : undefined);
}

/** Reports whether a value is metadata of providers. It came from JSON, or goes into it. */
function isFields(value: unknown): value is ProviderFields {
  return isRecord(value) && Object.values(value).every(isRecord) && Object.keys(value).length > 0;
}

/** Returns the metadata of a part together with that of the parts before it. */
export function mergeFields(before: ProviderFields | undefined, value: unknown): ProviderFields | undefined {
  if (!isFields(value)) return before;
  const merged: ProviderFields = { ...before };
  for (const [provider, fields] of Object.entries(value)) merged[provider] = { ...merged[provider], ...fields };
  return merged;
}
