import { editHistory } from '../../adapt/history.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import { editField, mapEntries, mapList, withField, withoutFields } from '../fields/edit-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { type SentId, sentIds } from '../lowering/call-ids.ts';
import { adaptRules } from './adapt-rules.ts';

/** Edits the model, and the reasoning and the ids that a server does not accept. All other fields stay. */
export const editRequest: EdgeWire['editRequest'] = (body, options) => {
  const { compat } = options;
  const named = editModel(body, options);
  const reasoned = compat.sendReasoning === 'none' ? withoutReasoning(named) : named;
  return compat.callIds === 'nine' ? withIds(reasoned, sentIds('nine')) : reasoned;
};

export const editModel: EdgeWire['editRequest'] = (body, { model }) => withField(body, 'model', model);

function withoutReasoning(body: Fields): Fields {
  return editMessages(body, (message) => withoutFields(message, adaptRules.reasoningFields));
}

function withIds(body: Fields, idOf: SentId): Fields {
  const renamed = (record: Fields, field: string) =>
    editField(record, field, (id) => (typeof id === 'string' ? idOf(id) : id));
  return editMessages(body, (message) =>
    editField(renamed(message, 'tool_call_id'), 'tool_calls', (calls) =>
      mapList(calls, (call) => (isRecord(call) ? renamed(call, 'id') : call)),
    ),
  );
}

function editMessages(body: Fields, edit: (message: Fields) => Fields): Fields {
  return editHistory(adaptRules, body, (messages) =>
    mapEntries(messages, (message) => (isRecord(message) ? edit(message) : message)),
  );
}
