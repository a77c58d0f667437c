import type { Item } from '../base/item.ts';
import type { Fields } from '../wire/request-fields.ts';
import { canonicalItem } from '../wire/responses/canonical-item.ts';
import type { Outcome } from './translator.ts';

/** What is kept of a whole response of the Responses API; undefined for one that nobody could refer to. */
export function outcomeOf(body: Fields): Outcome | undefined {
  const { id, output } = body;
  if (typeof id !== 'string' || id === '') return undefined;
  const items = Array.isArray(output) ? output.flatMap((item): readonly Item[] => listed(canonicalItem(item))) : [];
  return { id, output: items, body };
}

function listed(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
}
