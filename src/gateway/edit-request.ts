import type { ReasoningItem } from '../base/item.ts';
import { isRecord } from '../base/json-schema.ts';
import type { Compat } from '../base/wire.ts';
import { type AdaptWire, callsOf, editHistory } from '../wire/adapt/history.ts';
import { REASONING_FIELDS } from '../wire/adapt/refusals/reasoning-rule.ts';
import { type SentId, sentIds } from '../wire/call-ids.ts';
import { isCarried } from '../wire/carried.ts';
import { editField, mapEntries, mapList, sameOr, withField, withoutFields } from '../wire/edit-fields.ts';
import type { Fields } from '../wire/request-fields.ts';
import type { AskedRequest } from './read-request.ts';

/**
 * The body of a request for a server of the same wire: edited, not encoded anew. Gives the very body where the server
 * takes it as it is.
 */
export function editRequest(asked: AskedRequest, model: string, compat: Compat): Fields {
  const { body, stream } = asked;
  const wire = asked.wire.name as AdaptWire;
  const named = withField(body, 'model', model);
  const edited = wire === 'chat' ? editChat(named, stream) : editResponses(named, compat);
  const reasoned = compat.sendReasoning === 'none' ? withoutReasoning(wire, edited) : edited;
  const numbered = compat.callIds === 'nine' ? withIds(wire, reasoned, sentIds('nine')) : reasoned;
  const hasTools = Array.isArray(numbered.tools) && numbered.tools.length > 0;
  return hasTools && !compat.parallelToolCalls ? withField(numbered, 'parallel_tool_calls', false) : numbered;
}

/** The usage of a stream is asked for whether or not the client wants it: the log and the counters do. */
function editChat(body: Fields, stream: boolean): Fields {
  if (!stream) return body;
  const options = isRecord(body.stream_options) ? body.stream_options : {};
  return options.include_usage === true
    ? body
    : withField(body, 'stream_options', withField(options, 'include_usage', true));
}

function editResponses(body: Fields, compat: Compat): Fields {
  const readable = editHistory('responses', body, (items) => mapEntries(without(items, isOurs), withSummary));
  const { instructions, input } = readable;
  if (compat.instructions !== 'item' || typeof instructions !== 'string' || !Array.isArray(input)) return readable;
  const first = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: instructions }] };
  const rest = withoutFields(readable, ['instructions']);
  return instructions === '' ? rest : withField(rest, 'input', [first, ...input]);
}

/** Servers insist on it (E10), and clients that got none send none. */
function withSummary(item: unknown): unknown {
  return isReasoning(item) && !Array.isArray(item.summary) ? { ...item, summary: [] } : item;
}

/** What the gateway itself sealed for a server of another wire: no other server can open it. */
function isOurs(item: unknown): boolean {
  return isReasoning(item) && typeof item.encrypted_content === 'string' && isCarried(item as unknown as ReasoningItem);
}

function isReasoning(item: unknown): item is Fields {
  return isRecord(item) && item.type === 'reasoning';
}

function withoutReasoning(wire: AdaptWire, body: Fields): Fields {
  if (wire === 'responses') return editHistory(wire, body, (items) => without(items, isReasoning));
  const names = REASONING_FIELDS.map((path) => path.slice('messages.*.'.length));
  return editHistory(wire, body, (messages) =>
    mapEntries(messages, (message) => (isRecord(message) ? withoutFields(message, names) : message)),
  );
}

function without(items: readonly unknown[], isUnwanted: (item: unknown) => boolean): readonly unknown[] {
  return sameOr(
    items,
    items.filter((item) => !isUnwanted(item)),
  );
}

function withIds(wire: AdaptWire, body: Fields, idOf: SentId): Fields {
  const renamed = (record: Fields, field: string) =>
    editField(record, field, (id) => (typeof id === 'string' ? idOf(id) : id));
  return editHistory(wire, body, (history) =>
    mapEntries(history, (entry) => {
      if (!isRecord(entry)) return entry;
      if (wire === 'responses') return renamed(entry, 'call_id');
      const named = renamed(entry, 'tool_call_id');
      if (callsOf(named).length === 0) return named;
      return editField(named, 'tool_calls', (calls) =>
        mapList(calls, (call) => (isRecord(call) ? renamed(call, 'id') : call)),
      );
    }),
  );
}
