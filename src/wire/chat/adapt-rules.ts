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
import { renameField, renameHolder, renameInner } from '../../adapt/tool-names.ts';
import { isRecord } from '../../base/json-schema.ts';
import { editField, mapList } from '../fields/edit-fields.ts';
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
  keepsStrays: false,
};

export const adaptRules: AdaptRules = {
  history: 'messages',
  messageOf,
  message: (role, content) => ({ role, content }),
  textPart: (_role, text) => ({ type: 'text', text }),
  joined: { lists: ['tool_calls', 'reasoning_details'], texts: ['reasoning_content', 'reasoning'] },
  isCallOnly(message) {
    if (message.role !== 'assistant' || !isBlankContent(message.content)) return false;
    return callsOf(message).length > 0 || isRecord(message.function_call);
  },
  reasoningFields: ['reasoning_content', 'reasoning', 'reasoning_details'],
  effort: 'reasoning_effort',
  callRules: () => callRules,
  resultField: (entry) => (messageOf(entry)?.role === 'tool' ? 'content' : undefined),
  callIds: (entry) => callsOf(entry).map((call) => (isRecord(call) ? call.id : undefined)),
  renameEntry: renameMessage,
  renameAnswer(chunk, rename) {
    const renameIn = (message: unknown) => renameMessage(message, rename);
    return editField(chunk, 'choices', (choices) =>
      mapList(choices, (choice) =>
        isRecord(choice) ? editField(editField(choice, 'delta', renameIn), 'message', renameIn) : choice,
      ),
    );
  },
  mapSchemas(body, edit) {
    const tools = editField(body, 'tools', (list) => editToolSchemas(list, edit));
    return editAnswerSchema(tools, ['response_format', 'json_schema', 'schema'], edit);
  },
  tokenLimits: ['max_completion_tokens', 'max_tokens'],
  namesTokenLimit: true,
  stops: 'stop',
  needed: new Set([
    ...NEEDED_EVERYWHERE,
    'messages',
    ...['role', 'content'].map((name) => `messages.*.${name}`),
    ...['id', 'type', 'function', 'custom'].map((name) => `messages.*.tool_calls.*.${name}`),
    ...['name', 'arguments'].map((name) => `messages.*.tool_calls.*.function.${name}`),
    ...['name', 'input'].map((name) => `messages.*.tool_calls.*.custom.${name}`),
  ]),
  neededUnlessEmpty: new Set(['tools', 'messages.*.tool_calls', 'messages.*.tool_call_id']),
  shorthands: { tool_calls: ['messages', '*', 'tool_calls'] },
  places: [
    ['messages', '*'],
    ['messages', '*', 'tool_calls', '*'],
    ['messages', '*', 'tool_calls', '*', 'function'],
    ['messages', '*', 'content', '*'],
    ...PLACES_EVERYWHERE,
  ],
};

function messageOf(entry: unknown): Message | undefined {
  return isRecord(entry) && typeof entry.role === 'string' ? (entry as Message) : undefined;
}

export function callsOf(message: Fields): readonly unknown[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls : [];
}

function openCall(call: unknown): readonly PendingCall[] {
  if (!isRecord(call) || typeof call.id !== 'string') return [];
  const { id } = call;
  return [{ id, aborted: () => ({ role: 'tool', tool_call_id: id, content: ABORTED }) }];
}

/** Maps the names of tools in a whole message or in a delta. */
function renameMessage(message: unknown, rename: Rename): unknown {
  if (!isRecord(message)) return message;
  const called = editField(message, 'tool_calls', (calls) =>
    mapList(calls, (call) => (isRecord(call) ? renameInner(call, rename) : call)),
  );
  const legacy = editField(called, 'function_call', (call) => renameHolder(call, rename));
  const isResult = message.role === 'tool' || message.role === 'function';
  return isResult ? renameField(legacy, 'name', rename) : legacy;
}
