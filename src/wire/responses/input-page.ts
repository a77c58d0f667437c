import type { Item } from '../../base/item.ts';

const LIMIT = 20;
const MAX_LIMIT = 100;

/**
 * Returns a page of the input of a stored response, as the query asks for it. The newest item comes first by default.
 */
export function inputPage(input: readonly Item[], query: string): object {
  const asked = new URLSearchParams(query);
  // Items from clients need no ids, but those in a list do.
  const items = input.map((item, n) => ({ ...item, id: item.id ?? `item_${n}` }));
  if (asked.get('order') !== 'asc') items.reverse();
  const after = items.findIndex(({ id }) => id === asked.get('after')) + 1;
  const limit = Math.min(Math.max(Number(asked.get('limit')) || LIMIT, 1), MAX_LIMIT);
  const data = items.slice(after, after + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: after + limit < items.length,
  };
}
