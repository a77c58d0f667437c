import type { Fields } from '../../wire/fields/request-fields.ts';
import { canonicalType } from '../../wire/responses/canonical-item.ts';
import { wordOf } from '../field-values.ts';

export interface Pairs {
  /** Listed item of each streamed item. */
  readonly listed: ReadonlyMap<Fields, Fields>;
  /** Listed items of known types that were not streamed. */
  readonly left: readonly Fields[];
}

/**
 * Pairs the items of the list at the end of a response with the items that were streamed: by their ids, by the ids of
 * their calls, and otherwise by their order, since some servers number items anew for the list.
 */
export function pairItems(streamed: readonly Fields[], list: readonly Fields[]): Pairs {
  const listed = new Map<Fields, Fields>();
  const left = new Set(list.filter((item) => typeOf(item) !== undefined));
  for (const keyOf of [idOf, callIdOf, kindOf]) {
    const queues = grouped(left, keyOf);
    for (const item of streamed) {
      const key = listed.has(item) ? undefined : keyOf(item);
      const match = key === undefined ? undefined : queues.get(key)?.next().value;
      if (match === undefined) continue;
      listed.set(item, match);
      left.delete(match);
    }
  }
  return { listed, left: [...left] };
}

const idOf = (item: Fields) => wordOf(item.id) && `${typeOf(item)} ${item.id}`;
const callIdOf = (item: Fields) => wordOf(item.call_id) && `${typeOf(item)} ${item.call_id}`;
const typeOf = (item: Fields) => canonicalType(item) ?? wordOf(item.type);
/** Calls of different tools are never the same. */
const kindOf = (item: Fields) => typeOf(item) && `${typeOf(item)} ${wordOf(item.name) ?? ''}`;

function grouped(
  items: Iterable<Fields>,
  keyOf: (item: Fields) => string | undefined,
): ReadonlyMap<string, Iterator<Fields>> {
  const groups = new Map<string, Fields[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return new Map([...groups].map(([key, group]) => [key, group.values()]));
}
