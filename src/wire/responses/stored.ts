import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ResponseStore, StoredResponse } from '../../base/response-store.ts';
import type { Frame } from '../../base/wire.ts';
import { ClientError } from '../edge/client-error.ts';
import type { OwnRoute, StoredRules } from '../edge/edge-wire.ts';
import type { FinishedResponse } from '../edge/translator.ts';
import { editField, mapList, withoutFields } from '../fields/edit-fields.ts';
import { isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { frameValue } from '../framing/frames.ts';
import { canonicalItem } from './canonical-item.ts';
import { inputPage } from './input-page.ts';

export const stored: StoredRules = {
  isKept: ({ store }) => store !== false,
  previousId: ({ previous_response_id: id }) => (typeof id === 'string' && id !== '' ? id : undefined),
  expand: (body, { input, output }) => ({
    ...withoutFields(body, ['previous_response_id']),
    input: [...input, ...output, ...inputList(body.input)],
  }),
  referredIds: ({ input }) => (Array.isArray(input) ? input.flatMap((item) => referredId(item) ?? []) : []),
  resolve(body, items) {
    const itemFor = (entry: unknown) => items.get(referredId(entry) ?? '') ?? entry;
    return items.size === 0 ? body : editField(body, 'input', (input) => mapList(input, itemFor));
  },
  finishedIn,
  finishedBy(frames) {
    const response = lastResponse(frames);
    return response && finishedIn(response);
  },
};

/** Returns the response that the last of these frames holds. */
export function lastResponse(frames: readonly Frame[]): Fields | undefined {
  const last = frames.at(-1);
  const event = last === undefined ? undefined : frameValue(last);
  return isRecord(event) && isRecord(event.response) ? event.response : undefined;
}

export function finishedIn(body: Fields): FinishedResponse | undefined {
  const { id, output } = body;
  if (typeof id !== 'string' || id === '') return undefined;
  const items = Array.isArray(output) ? output.flatMap((item): readonly Item[] => listed(canonicalItem(item))) : [];
  return { id, output: items, body };
}

/** Returns the id in a reference to an item. The type of a reference may be left out. */
function referredId(item: unknown): string | undefined {
  if (!isRecord(item) || typeof item.id !== 'string') return undefined;
  const isReference = item.type === 'item_reference' || (!isSet(item.type) && item.role === undefined);
  return isReference ? item.id : undefined;
}

function listed(item: Item | undefined): readonly Item[] {
  return item === undefined ? [] : [item];
}

function inputList(input: unknown): readonly unknown[] {
  if (typeof input === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  }
  return Array.isArray(input) ? input : [];
}

/** Paths of responses that the gateway has stored. */
export const storedRoutes: readonly OwnRoute[] = [
  {
    type: 'own',
    method: 'GET',
    path: '/v1/responses/:id',
    answer: async ({ params }, { store }) => (await entryOf(params.id, store)).body,
  },
  {
    type: 'own',
    method: 'DELETE',
    path: '/v1/responses/:id',
    async answer({ params: { id = '' } }, { store }) {
      await entryOf(id, store);
      await store.delete(id);
      return { id, object: 'response', deleted: true };
    },
  },
  {
    type: 'own',
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    answer: async ({ params, query }, { store }) => inputPage((await entryOf(params.id, store)).input, query),
  },
];

async function entryOf(id = '', store: ResponseStore): Promise<StoredResponse> {
  const entry = await store.get(id);
  if (entry !== undefined) return entry;
  throw new ClientError(`There is no response ${JSON.stringify(id)} here.`, { status: 404, code: 'not_found' });
}
