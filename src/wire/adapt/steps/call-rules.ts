import { isRecord } from '../../../base/json-schema.ts';
import type { Fields } from '../../request-fields.ts';
import { mergeMessages } from '../content.ts';
import { callsOf, type Message, messageOf } from '../history.ts';
import type { CallRules, OpenCall } from './order-calls.ts';

/** What a call that was never answered is said to have given. */
const ABORTED = 'aborted';

/** On the chat wire the calls of a response are in one message of the assistant, with its text. */
export const chatCalls: CallRules = {
  calls(entry) {
    const message = messageOf('chat', entry);
    const calls = message?.role === 'assistant' ? callsOf(message) : [];
    return calls.length === 0 ? undefined : calls.flatMap(openChatCall);
  },
  answers(entry) {
    const message = messageOf('chat', entry);
    if (message?.role !== 'tool') return undefined;
    return typeof message.tool_call_id === 'string' ? message.tool_call_id : '';
  },
  joins: (entry) => messageOf('chat', entry)?.role === 'assistant',
  write(entries) {
    const [first, ...others] = entries as Message[];
    return { calls: first === undefined ? [] : [mergeMessages('chat', [first, ...others])], rest: [] };
  },
  keepsStrays: false,
};

function openChatCall(call: unknown): readonly OpenCall[] {
  if (!isRecord(call) || typeof call.id !== 'string') return [];
  const { id } = call;
  return [{ id, aborted: () => ({ role: 'tool', tool_call_id: id, content: ABORTED }) }];
}

/** On the Responses wire calls are items, and reasoning may stand between them. */
export function responsesCalls(body: Fields): CallRules {
  return {
    calls: openCallItem,
    answers: (entry) =>
      isRecord(entry) && RESULTS.has(entry.type) ? (typeof entry.call_id === 'string' ? entry.call_id : '') : undefined,
    joins: (entry) => isRecord(entry) && (CALLS.has(entry.type) || entry.type === 'reasoning'),
    write(entries) {
      const end = entries.findLastIndex((entry) => openCallItem(entry) !== undefined) + 1;
      return { calls: entries.slice(0, end), rest: entries.slice(end) };
    },
    keepsStrays: hasEarlierItems(body),
  };
}

/** The types of calls, and what their results are called. */
const CALLS: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
  ['local_shell_call', 'function_call_output'],
]);

const RESULTS: ReadonlySet<unknown> = new Set([...CALLS.values(), 'local_shell_call_output']);

function openCallItem(entry: unknown): readonly OpenCall[] | undefined {
  if (!isRecord(entry)) return undefined;
  const type = CALLS.get(entry.type);
  const id = entry.call_id ?? entry.id;
  if (type === undefined) return undefined;
  return typeof id === 'string' ? [{ id, aborted: () => ({ type, call_id: id, output: ABORTED }) }] : [];
}

/** Whether the server adds items of its own before those of the request. */
function hasEarlierItems({ previous_response_id, conversation, input }: Fields): boolean {
  const isSet = (value: unknown) => value !== undefined && value !== null;
  if (isSet(previous_response_id) || isSet(conversation)) return true;
  return Array.isArray(input) && input.some((item: unknown) => isRecord(item) && item.type === 'item_reference');
}
