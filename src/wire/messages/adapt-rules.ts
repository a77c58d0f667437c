import {
  type AdaptRules,
  type Message,
  NEEDED_EVERYWHERE,
  PLACES_EVERYWHERE,
  type Rename,
} from '../../adapt/adapt-rules.ts';
import { mergeMessages } from '../../adapt/content.ts';
import { editAnswerSchema, editToolSchemas } from '../../adapt/schemas/schema-places.ts';
import { ABORTED, type CallRules, type PendingCall } from '../../adapt/steps/order-calls.ts';
import { renameField } from '../../adapt/tool-names.ts';
import { isRecord } from '../../base/json-schema.ts';
import { editField, mapList } from '../fields/edit-fields.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';

/** The calls of a response are blocks of one assistant message, and their results are blocks of user messages. */
const callRules: CallRules = {
  split(entry) {
    const message = messageOf(entry);
    const blocks = blocksOf(message);
    const results = message?.role === 'user' ? blocks.filter(isResult) : [];
    if (message === undefined || results.length === 0 || blocks.length === 1) return [entry];
    const rest = blocks.filter((block) => !isResult(block));
    const split = results.map((result) => ({ ...message, content: [result] }));
    return rest.length === 0 ? split : [...split, { ...message, content: rest }];
  },
  calls(entry) {
    const message = messageOf(entry);
    const calls = message?.role === 'assistant' ? blocksOf(message).filter(isCall) : [];
    return calls.length === 0 ? undefined : calls.flatMap(openCall);
  },
  answers(entry) {
    const message = messageOf(entry);
    const result = message?.role === 'user' ? blocksOf(message).find(isResult) : undefined;
    if (result === undefined) return undefined;
    return typeof result.tool_use_id === 'string' ? result.tool_use_id : '';
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
  instructions: 'system',
  onlyInstructions: true,
  messageOf,
  message: (role, content) => ({ role, content }),
  textPart: (_role, text) => ({ type: 'text', text }),
  joined: { lists: [], texts: [] },
  reasoningFields: [],
  callRules: () => callRules,
  // Results are blocks, and may have images wherever this wire is spoken.
  resultField: () => undefined,
  callIds: (entry) => blocksOf(entry).flatMap((block) => (isCall(block) ? [block.id] : [])),
  renameEntry: renameContent,
  renameAnswer(value, rename) {
    const block = editField(value, 'content_block', (one) => renameBlock(one, rename));
    const inner = editField(block, 'message', (message) => renameContent(message, rename));
    return fieldsOf(renameContent(inner, rename));
  },
  mapSchemas(body, edit) {
    const tools = editField(body, 'tools', (list) => editToolSchemas(list, edit));
    const answer = editAnswerSchema(tools, ['output_config', 'format', 'schema'], edit);
    return editAnswerSchema(answer, ['output_format', 'schema'], edit);
  },
  freeChoice: (choice) => ({ ...withoutName(fieldsOf(choice)), type: 'auto' }),
  saysHowToThink: true,
  tokenLimits: ['max_tokens'],
  namesTokenLimit: false,
  stops: 'stop_sequences',
  needed: new Set([
    ...NEEDED_EVERYWHERE,
    ...['messages', 'max_tokens', 'tools.*.input_schema'],
    ...['role', 'content'].map((name) => `messages.*.${name}`),
    ...'type text source id name input tool_use_id thinking signature data'
      .split(' ')
      .map((name) => `messages.*.content.*.${name}`),
  ]),
  neededUnlessEmpty: new Set(['tools']),
  shorthands: {},
  places: [
    ['messages', '*'],
    ['messages', '*', 'content', '*'],
    ['messages', '*', 'content', '*', 'content', '*'],
    ['system', '*'],
    ['thinking'],
    ['output_config'],
    ...PLACES_EVERYWHERE,
  ],
};

function messageOf(entry: unknown): Message | undefined {
  return isRecord(entry) && typeof entry.role === 'string' ? (entry as Message) : undefined;
}

/** Returns the blocks of a message; none if its content is a text. */
export function blocksOf(message: unknown): readonly Fields[] {
  const { content } = fieldsOf(message);
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function isCall({ type }: Fields): boolean {
  return type === 'tool_use';
}

function isResult({ type }: Fields): boolean {
  return type === 'tool_result';
}

function openCall({ id }: Fields): readonly PendingCall[] {
  if (typeof id !== 'string') return [];
  const result = { type: 'tool_result', tool_use_id: id, content: ABORTED, is_error: true };
  return [{ id, aborted: () => ({ role: 'user', content: [result] }) }];
}

/** Maps the names of tools in the content of a message. */
function renameContent(message: unknown, rename: Rename): unknown {
  if (!isRecord(message)) return message;
  return editField(message, 'content', (blocks) => mapList(blocks, (block) => renameBlock(block, rename)));
}

/** Maps the name in a call, or those in the references of a result. */
function renameBlock(block: unknown, rename: Rename): unknown {
  if (!isRecord(block)) return block;
  if (block.type === 'tool_use') return renameField(block, 'name', rename);
  if (block.type === 'tool_reference') return renameField(block, 'tool_name', rename);
  return block.type === 'tool_result' ? renameContent(block, rename) : block;
}

function withoutName({ name: _, ...choice }: Fields): Fields {
  return choice;
}
