import { flatMap } from '../../base/flat-map.ts';
import {
  type CallItem,
  type CallOutputItem,
  type Item,
  isCall,
  type MessageItem,
  type ReasoningItem,
} from '../../base/item.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { Compat } from '../../base/wire.ts';
import { createUniqueIds, type SentId } from '../lowering/call-ids.ts';
import { renamedTools } from '../lowering/declared-tools.ts';
import { toolKey } from '../lowering/flat-name.ts';
import { type FunctionForm, toFunctionForm } from '../lowering/function-form.ts';
import { type AnsweredCall, groupHistory, type ResponseGroup } from '../lowering/group-history.ts';
import { oncePerItem, oncePerTexts } from '../lowering/once-per-item.ts';
import { SYSTEM_LABEL } from '../lowering/system-label.ts';
import { contentBlocks } from './content-blocks.ts';
import { inputText } from './message-fields.ts';
import { serverBlock } from './reasoning-blocks.ts';

/** The history of a request. */
export interface EncodedHistory {
  /** Instructions, with the developer messages that follow them. Empty if there are none. */
  readonly system: string;
  /** Messages as JSON texts. */
  readonly messages: readonly string[];
}

/**
 * Encodes the history: the reasoning, texts and calls of a response in one message of the assistant, then its results in
 * one message of the user, in the order of the calls. Servers join consecutive messages of one role, so each message is
 * written once and stays the same as the history grows.
 */
export function encodeMessages(
  request: HistoryRequest,
  { sendReasoning }: Pick<Compat, 'sendReasoning'>,
): EncodedHistory {
  const { instructions, input, failedCalls = NONE_FAILED } = request;
  const first = firstDevelopers(input);
  const system = [instructions, ...first.flatMap(textsOf)].filter((text) => text.trim() !== '').join('\n\n');
  const sent: SentHistory = {
    nextId: createUniqueIds(),
    renamed: renamedTools(request.tools),
    failed: failedCalls,
    // Reasoning of earlier turns is sent too: a message that changes would be read again at the full price.
    reasoning: sendReasoning !== 'none',
  };
  const messages = flatMap(groupHistory(input.slice(first.length)), (group) =>
    group.kind === 'message' ? messageTexts(group.message) : responseTexts(group, sent),
  );
  return { system, messages };
}

type HistoryRequest = Pick<ModelRequest, 'instructions' | 'input' | 'tools' | 'failedCalls'>;

const NONE_FAILED: ReadonlySet<string> = new Set();

/** Facts that the texts of one request depend on. */
interface SentHistory {
  readonly nextId: SentId;
  /** Functions whose names cannot be derived from their tools, by the keys of these tools. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly failed: ReadonlySet<string>;
  readonly reasoning: boolean;
}

/** Returns the developer messages before all others. They join the instructions: only those are a system's text. */
function firstDevelopers(items: readonly Item[]): readonly MessageItem[] {
  const first: MessageItem[] = [];
  for (const item of items) {
    if (item.type !== 'message' || !isSystem(item) || textsOf(item).length < item.content.length) break;
    first.push(item);
  }
  return first;
}

function isSystem({ role }: MessageItem): boolean {
  return role === 'developer' || role === 'system';
}

function textsOf({ content }: MessageItem): readonly string[] {
  return content.flatMap((part) => (part.type === 'input_text' || part.type === 'output_text' ? [part.text] : []));
}

/** Message as JSON text; empty for a message without anything to send. */
const messageTexts = oncePerItem((message: MessageItem): readonly string[] => {
  const blocks = contentBlocks(message.content);
  if (blocks.length === 0) return [];
  const texts = textsOf(message);
  // A system's text may stand only before the history.
  const label = isSystem(message) ? `${SYSTEM_LABEL}\n` : '';
  if (texts.length === 1 && message.content.length === 1) return [userText(JSON.stringify(label + texts[0]))];
  const labelled = label === '' ? blocks : [{ type: 'text', text: SYSTEM_LABEL }, ...blocks];
  return [userText(JSON.stringify(labelled))];
});

function userText(content: string): string {
  return `{"role":"user","content":${content}}`;
}

function responseTexts(group: ResponseGroup, sent: SentHistory): readonly string[] {
  const ids = new Map(group.calls.map(({ call }) => [call, sent.nextId(call.call_id)]));
  const blocks = flatMap(group.items, (item): readonly Block[] => {
    if (isCall(item)) return [{ text: namedCallText(item, ids.get(item) ?? '', sent), isThought: false }];
    if (item.type === 'message') return spokenTexts(item).map((text) => ({ text, isThought: false }));
    return sent.reasoning ? thoughtTexts(item).map((text) => ({ text, isThought: true })) : [];
  });
  // Servers refuse a message that ends with reasoning.
  const end = blocks.findLastIndex(({ isThought }) => !isThought) + 1;
  if (end === 0) return [];
  const content = blocks.slice(0, end).map(({ text }) => text);
  const assistant = `{"role":"assistant","content":[${content.join(',')}]}`;
  if (group.calls.length === 0) return [assistant];
  const results = group.calls.map((answered) => resultText(answered, ids.get(answered.call) ?? '', sent));
  return [assistant, userText(`[${results.join(',')}]`)];
}

interface Block {
  readonly text: string;
  readonly isThought: boolean;
}

const spokenTexts = oncePerItem(({ content }: MessageItem): readonly string[] =>
  contentBlocks(content).map((block) => JSON.stringify(block)),
);

const thoughtTexts = oncePerItem((item: ReasoningItem): readonly string[] => {
  const block = serverBlock(item);
  return block === undefined ? [] : [JSON.stringify(block)];
});

function namedCallText(call: CallItem, id: string, { renamed }: SentHistory): string {
  if (renamed.size === 0 || call.type === 'local_shell_call') return callText(call, id, '');
  return callText(call, id, renamed.get(toolKey(call.namespace, call.name)) ?? '');
}

const callText = oncePerTexts((call: CallItem, id, rename) => {
  const { name, arguments: args }: FunctionForm = toFunctionForm(call);
  const head = JSON.stringify({ type: 'tool_use', id, name: rename || name });
  return `${head.slice(0, -1)},"input":${inputText(args)}}`;
});

function resultText({ call, output }: AnsweredCall, id: string, { failed }: SentHistory): string {
  if (output === undefined) return resultBlock(id, 'aborted', true);
  return outputText(output, id, failed.has(call.call_id) ? FAILED : '');
}

const FAILED = 'failed';

const outputText = oncePerTexts(({ output }: CallOutputItem, id, failure) => {
  const content = typeof output === 'string' ? output : contentBlocks(output);
  return resultBlock(id, content, failure === FAILED);
});

function resultBlock(tool_use_id: string, content: string | readonly object[], failed: boolean): string {
  return JSON.stringify({ type: 'tool_result', tool_use_id, content, ...(failed && { is_error: true }) });
}
