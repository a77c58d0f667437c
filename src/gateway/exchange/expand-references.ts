import type { Item } from '../../base/item.ts';
import type { ResponseStore } from '../../base/response-store.ts';
import { ClientError } from '../../wire/edge/client-error.ts';
import type { StoredRules } from '../../wire/edge/edge-wire.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { type ClientRequest, decodedOnce } from './read-request.ts';

export interface ExpandOptions {
  readonly store: ResponseStore;
  /** Id of the provider that gets the request. */
  readonly provider: string;
  readonly itemKey: string;
}

/**
 * Returns the request with the thread that it continues in front of its input, and with items in the place of
 * references, so that any server can answer it. Responses and items that only the server may know stay references. A
 * request without references is returned at once.
 */
export function expandReferences(asked: ClientRequest, options: ExpandOptions): ClientRequest | Promise<ClientRequest> {
  const { body } = asked;
  const { stored } = asked.wire.edge;
  const isWhole = stored === undefined || (stored.previousId(body) ?? stored.referredIds(body)[0]) === undefined;
  return isWhole ? asked : expanded(asked, stored, options);
}

async function expanded(asked: ClientRequest, stored: StoredRules, options: ExpandOptions): Promise<ClientRequest> {
  const { wire, body } = asked;
  const continued = await withPrevious(body, stored, options.store);
  const { items, own } = await findItems(stored.referredIds(continued), options);
  const whole = stored.resolve(continued, items);
  if (whole === body) return asked;
  const decoded = decodedOnce(wire, whole, options.itemKey);
  return { ...asked, body: whole, passed: stored.resolve(continued, own), decoded };
}

async function withPrevious(body: Fields, stored: StoredRules, store: ResponseStore): Promise<Fields> {
  const id = stored.previousId(body);
  const previous = id === undefined ? undefined : await store.get(id);
  return previous === undefined ? body : stored.expand(body, previous);
}

/** Returns the items that the store has, and among them those that the server of the provider has not stored. */
async function findItems(
  ids: readonly string[],
  { store, provider }: ExpandOptions,
): Promise<{ readonly items: Map<string, Item>; readonly own: Map<string, Item> }> {
  const items = new Map<string, Item>();
  const own = new Map<string, Item>();
  for (const id of new Set(ids)) {
    const found = await store.find(id);
    if (found === undefined) continue;
    items.set(id, found.item);
    if (found.keptBy !== provider) own.set(id, found.item);
  }
  return { items, own };
}

/**
 * Throws `ClientError` when the request still refers to an earlier response or its items: this server cannot know them.
 */
export function assertExpanded({ wire, body }: ClientRequest): void {
  const { stored } = wire.edge;
  const previous = stored?.previousId(body);
  if (previous !== undefined) throw unknown('response', previous);
  const [item] = stored?.referredIds(body) ?? [];
  if (item !== undefined) throw unknown('item', item);
}

function unknown(kind: keyof typeof UNKNOWN, id: string): ClientError {
  const { instead, ...fields } = UNKNOWN[kind];
  const said = `There is no ${kind} ${JSON.stringify(id)} here any more. ${instead}`;
  return new ClientError(said, { status: 404, ...fields });
}

const UNKNOWN = {
  response: {
    instead: 'Send its whole input instead.',
    code: 'previous_response_not_found',
    param: 'previous_response_id',
  },
  item: { instead: 'Send the item itself instead.', code: 'item_not_found', param: 'input' },
} as const;
