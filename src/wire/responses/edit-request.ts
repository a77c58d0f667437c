import { editHistory } from '../../adapt/history.ts';
import type { ReasoningItem } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Compat } from '../../base/wire.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import { editField, mapEntries, sameOr, withField, withoutFields } from '../fields/edit-fields.ts';
import { withParallelCalls } from '../fields/parallel-calls.ts';
import type { Fields } from '../fields/request-fields.ts';
import { type SentId, sentIds } from '../lowering/call-ids.ts';
import { hasOpaqueState } from '../opaque/opaque-state.ts';
import { adaptRules } from './adapt-rules.ts';

export const editRequest: EdgeWire['editRequest'] = (body, { model, compat }) => {
  const named = withField(body, 'model', model);
  const readable = editHistory(adaptRules, named, (items) => mapEntries(without(items, isOurs), withSummary));
  const instructed = compat.instructions === 'item' ? withInstructionsItem(readable) : readable;
  const reasoned = compat.sendReasoning === 'none' ? withoutItems(instructed, isReasoning) : instructed;
  return withParallelCalls(withIds(reasoned, compat), compat);
};

/** Removes reasoning that a server sealed: no other server can open it. */
export function withoutSealed(body: Fields): Fields {
  return withoutItems(body, (item) => isReasoning(item) && typeof item.encrypted_content === 'string');
}

function withInstructionsItem(body: Fields): Fields {
  const { instructions, input } = body;
  if (typeof instructions !== 'string' || !Array.isArray(input)) return body;
  const first = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: instructions }] };
  const rest = withoutFields(body, ['instructions']);
  return instructions === '' ? rest : withField(rest, 'input', [first, ...input]);
}

/** Adds an empty summary to reasoning without one. Servers require a summary (E10), and some clients send none. */
function withSummary(item: unknown): unknown {
  return isReasoning(item) && !Array.isArray(item.summary) ? { ...item, summary: [] } : item;
}

/**
 * Reports whether the gateway itself sealed the reasoning, for a server of another wire. No other server can open it.
 */
function isOurs(item: unknown): boolean {
  return (
    isReasoning(item) && typeof item.encrypted_content === 'string' && hasOpaqueState(item as unknown as ReasoningItem)
  );
}

function isReasoning(item: unknown): item is Fields {
  return isRecord(item) && item.type === 'reasoning';
}

function withoutItems(body: Fields, isUnwanted: (item: unknown) => boolean): Fields {
  return editHistory(adaptRules, body, (items) => without(items, isUnwanted));
}

function without(items: readonly unknown[], isUnwanted: (item: unknown) => boolean): readonly unknown[] {
  return sameOr(
    items,
    items.filter((item) => !isUnwanted(item)),
  );
}

function withIds(body: Fields, { callIds }: Compat): Fields {
  if (callIds !== 'nine') return body;
  const idOf: SentId = sentIds('nine');
  const renamed = (item: Fields) => editField(item, 'call_id', (id) => (typeof id === 'string' ? idOf(id) : id));
  return editHistory(adaptRules, body, (items) => mapEntries(items, (item) => (isRecord(item) ? renamed(item) : item)));
}
