import {
  type AdaptRules,
  type Message,
  NEEDED_EVERYWHERE,
  PLACES_EVERYWHERE,
  type Rename,
} from '../../adapt/adapt-rules.ts';
import { editHistory } from '../../adapt/history.ts';
import { editAnswerSchema, editToolSchemas, type SchemaEdit } from '../../adapt/schemas/schema-places.ts';
import { ABORTED, type CallRules, type PendingCall } from '../../adapt/steps/order-calls.ts';
import { renameChoice, renameField, renameTools } from '../../adapt/tool-names.ts';
import { isRecord } from '../../base/json-schema.ts';
import { editField, mapEntries, mapList } from '../fields/edit-fields.ts';
import { isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

export const adaptRules: AdaptRules = {
  history: 'input',
  instructions: 'instructions',
  messageOf,
  message: (role, content) => ({
    type: 'message',
    role,
    content: typeof content === 'string' ? [textPart(role, content)] : content,
  }),
  textPart,
  joined: { lists: [], texts: [] },
  reasoningFields: [],
  callRules,
  resultField(entry) {
    const isResult = isRecord(entry) && typeof entry.type === 'string' && entry.type.endsWith('_call_output');
    return isResult ? 'output' : undefined;
  },
  callIds: ({ call_id }) => [call_id],
  renameEntry: renameItem,
  renameAnswer,
  mapSchemas(body, edit) {
    const tools = editField(body, 'tools', (list) => editToolSchemas(list, edit));
    const history = editHistory(adaptRules, tools, (items) => mapEntries(items, (item) => itemSchemas(item, edit)));
    return editAnswerSchema(history, ['text', 'format', 'schema'], edit);
  },
  tokenLimits: ['max_output_tokens'],
  namesTokenLimit: false,
  needed: new Set([
    ...NEEDED_EVERYWHERE,
    'input',
    ...'type role content call_id name arguments input output action'.split(' ').map((name) => `input.*.${name}`),
  ]),
  neededUnlessEmpty: new Set(['tools']),
  shorthands: {},
  places: [['input', '*'], ['input', '*', 'content', '*'], ...PLACES_EVERYWHERE],
};

/** Returns an entry that is a message. Only messages may lack a type. */
function messageOf(entry: unknown): Message | undefined {
  if (!isRecord(entry) || typeof entry.role !== 'string') return undefined;
  return entry.type === undefined || entry.type === 'message' ? (entry as Message) : undefined;
}

function textPart(role: string, text: string): object {
  return { type: role === 'assistant' ? 'output_text' : 'input_text', text };
}

/** Returns the rules for calls. Calls are items, and reasoning may stand between them. */
function callRules(body: Fields): CallRules {
  return {
    calls: openCalls,
    answers: (entry) =>
      isRecord(entry) && RESULTS.has(entry.type) ? (typeof entry.call_id === 'string' ? entry.call_id : '') : undefined,
    joins: (entry) => isRecord(entry) && (CALLS.has(entry.type) || entry.type === 'reasoning'),
    write(entries) {
      const end = entries.findLastIndex((entry) => openCalls(entry) !== undefined) + 1;
      return { calls: entries.slice(0, end), rest: entries.slice(end) };
    },
    keepsStrays: hasEarlierItems(body),
  };
}

/** Types of calls, with the types of their results. */
const CALLS: ReadonlyMap<unknown, string> = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
  ['local_shell_call', 'function_call_output'],
]);

const RESULTS: ReadonlySet<unknown> = new Set([...CALLS.values(), 'local_shell_call_output']);

function openCalls(entry: unknown): readonly PendingCall[] | undefined {
  if (!isRecord(entry)) return undefined;
  const type = CALLS.get(entry.type);
  const id = entry.call_id ?? entry.id;
  if (type === undefined) return undefined;
  return typeof id === 'string' ? [{ id, aborted: () => ({ type, call_id: id, output: ABORTED }) }] : [];
}

/** Reports whether the server adds items before those of the request. */
function hasEarlierItems({ previous_response_id, conversation, input }: Fields): boolean {
  if (isSet(previous_response_id) || isSet(conversation)) return true;
  return Array.isArray(input) && input.some((item: unknown) => isRecord(item) && item.type === 'item_reference');
}

function renameItem(item: unknown, rename: Rename): unknown {
  if (!isRecord(item)) return item;
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    return renameField(renameField(item, 'name', rename), 'namespace', rename);
  }
  return editField(item, 'tools', (tools) => renameTools(tools, rename));
}

/** Maps the names of tools in an event or in a whole response. */
function renameAnswer(event: Fields, rename: Rename): Fields {
  const item = editField(event, 'item', (value) => renameItem(value, rename));
  const named = event.type === ARGUMENTS_DONE ? renameField(item, 'name', rename) : item;
  const within = editField(named, 'response', (response) =>
    isRecord(response) ? renameResponse(response, rename) : response,
  );
  return event.type === undefined ? renameResponse(within, rename) : within;
}

const ARGUMENTS_DONE = 'response.function_call_arguments.done';

/** Maps the names of tools in a response. Servers repeat tools and choice of the request there. */
function renameResponse(response: Fields, rename: Rename): Fields {
  const output = editField(response, 'output', (items) => mapList(items, (item) => renameItem(item, rename)));
  const tools = editField(output, 'tools', (list) => renameTools(list, rename));
  return editField(tools, 'tool_choice', (choice) => renameChoice(choice, rename));
}

/** Edits the schemas of tools that an item brings. */
function itemSchemas(item: unknown, edit: SchemaEdit): unknown {
  return isRecord(item) ? editField(item, 'tools', (tools) => editToolSchemas(tools, edit)) : item;
}
