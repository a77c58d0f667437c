import { editHistory } from '../../adapt/history.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { EdgeWire } from '../edge/edge-wire.ts';
import { editField, mapEntries, mapList, withField, withoutFields } from '../fields/edit-fields.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import { withParallelCalls } from '../fields/parallel-calls.ts';
import type { Fields } from '../fields/request-fields.ts';
import { type SentId, sentIds } from '../lowering/call-ids.ts';
import { adaptRules, callsOf } from './adapt-rules.ts';

export const editRequest: EdgeWire['editRequest'] = (body, { model, stream, compat }) => {
  const named = withField(body, 'model', model);
  const asking = stream ? askingForUsage(named) : named;
  const reasoned = compat.sendReasoning === 'none' ? withoutReasoning(asking) : asking;
  const numbered = compat.callIds === 'nine' ? withIds(reasoned, sentIds('nine')) : reasoned;
  return withParallelCalls(numbered, compat);
};

/** Asks for the usage of a stream even where the client does not want it: the log and the metrics do. */
function askingForUsage(body: Fields): Fields {
  const options = fieldsOf(body.stream_options);
  return options.include_usage === true
    ? body
    : withField(body, 'stream_options', withField(options, 'include_usage', true));
}

function withoutReasoning(body: Fields): Fields {
  return editHistory(adaptRules, body, (messages) =>
    mapEntries(messages, (message) =>
      isRecord(message) ? withoutFields(message, adaptRules.reasoningFields) : message,
    ),
  );
}

function withIds(body: Fields, idOf: SentId): Fields {
  const renamed = (record: Fields, field: string) =>
    editField(record, field, (id) => (typeof id === 'string' ? idOf(id) : id));
  const renamedCalls = (calls: unknown) => mapList(calls, (call) => (isRecord(call) ? renamed(call, 'id') : call));
  return editHistory(adaptRules, body, (messages) =>
    mapEntries(messages, (message) => {
      if (!isRecord(message)) return message;
      const answered = renamed(message, 'tool_call_id');
      return callsOf(answered).length === 0 ? answered : editField(answered, 'tool_calls', renamedCalls);
    }),
  );
}
