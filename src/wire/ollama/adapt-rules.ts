import {
  type AdaptRules,
  type Message,
  NEEDED_EVERYWHERE,
  PLACES_EVERYWHERE,
  type Rename,
} from '../../adapt/adapt-rules.ts';
import { isBlankContent, mergeMessages } from '../../adapt/content.ts';
import { editAnswerSchema, editToolSchemas } from '../../adapt/schemas/schema-places.ts';
import { ABORTED, type CallRules, type PendingCall } from '../../adapt/steps/order-calls.ts';
import { renameField, renameInner } from '../../adapt/tool-names.ts';
import { isRecord } from '../../base/json-schema.ts';
import { editField, mapList } from '../fields/edit-fields.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

/** The calls of a response stand in one assistant message, together with its text. */
const callRules: CallRules = {
  calls(entry) {
    const message = messageOf(entry);
    const calls = message?.role === 'assistant' ? callsOf(message) : [];
    return calls.length === 0 ? undefined : calls.flatMap(openCall);
  },
  answers(entry) {
    const message = messageOf(entry);
    if (message?.role !== 'tool') return undefined;
    return typeof message.tool_call_id === 'string' ? message.tool_call_id : '';
  },
  joins: (entry) => messageOf(entry)?.role === 'assistant',
  write(entries) {
    const [first, ...others] = entries as Message[];
    return { calls: first === undefined ? [] : [mergeMessages(adaptRules, [first, ...others])], rest: [] };
  },
  // Older clients do not name the call of a result.
  keepsStrays: true,
};

export const adaptRules: AdaptRules = {
  history: 'messages',
  messageOf,
  message: (role, content) => ({ role, content }),
  textPart: (_role, text) => ({ type: 'text', text }),
  joined: { lists: ['tool_calls', 'images'], texts: ['thinking'] },
  isCallOnly: (message) =>
    message.role === 'assistant' && isBlankContent(message.content) && callsOf(message).length > 0,
  reasoningFields: ['thinking'],
  effort: 'think',
  callRules: () => callRules,
  resultField: (entry) => (messageOf(entry)?.role === 'tool' ? 'content' : undefined),
  callIds: (entry) => callsOf(entry).map((call) => fieldsOf(call).id),
  renameEntry: renameMessage,
  renameAnswer: (line, rename) => editField(line, 'message', (message) => renameMessage(message, rename)),
  mapSchemas(body, edit) {
    const tools = editField(body, 'tools', (list) => editToolSchemas(list, edit));
    return isRecord(body.format) ? editAnswerSchema(tools, ['format'], edit) : tools;
  },
  namesTokenLimit: false,
  needed: new Set([
    ...NEEDED_EVERYWHERE,
    'messages',
    ...['role', 'content'].map((name) => `messages.*.${name}`),
    'messages.*.tool_calls.*.function',
    ...['name', 'arguments'].map((name) => `messages.*.tool_calls.*.function.${name}`),
  ]),
  neededUnlessEmpty: new Set(['tools', 'messages.*.tool_calls']),
  shorthands: { tool_calls: ['messages', '*', 'tool_calls'] },
  places: [
    ['options'],
    ['messages', '*'],
    ['messages', '*', 'tool_calls', '*'],
    ['messages', '*', 'tool_calls', '*', 'function'],
    ...PLACES_EVERYWHERE,
  ],
};

function messageOf(entry: unknown): Message | undefined {
  return isRecord(entry) && typeof entry.role === 'string' ? (entry as Message) : undefined;
}

function callsOf(message: Fields): readonly unknown[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls : [];
}

function openCall(call: unknown): readonly PendingCall[] {
  const { id, function: form } = fieldsOf(call);
  if (typeof id !== 'string') return [];
  const tool_name = fieldsOf(form).name;
  return [{ id, aborted: () => ({ role: 'tool', content: ABORTED, tool_name, tool_call_id: id }) }];
}

/** Maps the names of tools in a message of a request or of an answer. */
function renameMessage(message: unknown, rename: Rename): unknown {
  if (!isRecord(message)) return message;
  const called = editField(message, 'tool_calls', (calls) =>
    mapList(calls, (call) => (isRecord(call) ? renameInner(call, rename) : call)),
  );
  return renameField(called, 'tool_name', rename);
}
