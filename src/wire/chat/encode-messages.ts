import { flatMap } from '../../base/flat-map.ts';
import type { CallItem, CallOutputItem, Item, MessageItem, ReasoningItem, Role } from '../../base/item.ts';
import type { Compat } from '../../base/wire.ts';
import { ATTACHED_FILE, ATTACHED_IMAGE } from '../lowering/attached-media.ts';
import { type SentId, sentIds } from '../lowering/call-ids.ts';
import { toolKey } from '../lowering/flat-name.ts';
import { type FunctionForm, toFunctionForm } from '../lowering/function-form.ts';
import { type AnsweredCall, groupHistory, type ResponseGroup } from '../lowering/group-history.ts';
import { oncePerItem, oncePerTexts } from '../lowering/once-per-item.ts';
import { decodeOpaqueState, hasOpaqueState } from '../opaque/opaque-state.ts';
import { mediaParts, textParts } from './content-parts.ts';

/**
 * Encodes the `messages` of a request, each as JSON text, in an order that strict servers accept: the calls of a
 * response in one assistant message with its text, then the results in the order of the calls, then everything else.
 */
export function encodeMessages(
  instructions: string,
  items: readonly Item[],
  compat: ReasoningReplay,
): readonly string[] {
  const names: SentNames = { idOf: sentIds(compat.callIds), renamed: compat.renamed ?? NOTHING_RENAMED };
  const first = instructions === '' ? [] : firstDevelopers(items);
  const system =
    instructions === '' ? [] : [systemText([instructions, ...first.flatMap(({ content }) => textParts(content))])];
  const groups = groupHistory(items);
  const isSent = ({ current }: ResponseGroup) =>
    compat.sendReasoning === 'all' || (compat.sendReasoning === 'turn' && current);
  // A server that sends reasoning may refuse a call without any. Such a call then gets an empty text.
  const thinks = groups.some(
    (group) => group.kind === 'response' && isSent(group) && groupReasoning(group) !== undefined,
  );
  const messages = flatMap(groups, (group, index): readonly string[] => {
    if (index < first.length) return [];
    if (group.kind === 'message') return messageTexts(group.message);
    return responseTexts(group, isSent(group) ? { missing: thinks ? EMPTY : undefined } : undefined, names);
  });
  return [...system, ...messages];
}

/** Settings for replaying the history. */
export interface ReasoningReplay extends Pick<Compat, 'callIds' | 'sendReasoning'> {
  /** Functions whose names cannot be derived from their tools, by the keys of these tools. */
  readonly renamed?: ReadonlyMap<string, string>;
}

/** Ids of calls and names of tools in one request. */
interface SentNames {
  readonly idOf: SentId;
  readonly renamed: ReadonlyMap<string, string>;
}

const NOTHING_RENAMED: ReadonlyMap<string, string> = new Map();

/** Names of the roles on this wire. Few servers know the role developer. */
const ROLES: Readonly<Record<Role, string>> = {
  user: 'user',
  developer: 'system',
  system: 'system',
  assistant: 'assistant',
};

/**
 * Returns the developer messages right after the instructions. They join the instructions: many servers accept only one
 * system message, at the beginning.
 */
function firstDevelopers(items: readonly Item[]): readonly MessageItem[] {
  const first: MessageItem[] = [];
  for (const item of items) {
    if (item.type !== 'message' || item.role !== 'developer' || mediaParts(item.content).length > 0) break;
    first.push(item);
  }
  return first;
}

function systemText(texts: readonly string[]): string {
  return `{"role":"system","content":${JSON.stringify(texts.join('\n\n'))}}`;
}

/** Message as JSON text; empty for a message without anything to send. */
const messageTexts = oncePerItem((message: MessageItem): readonly string[] => {
  const texts = textParts(message.content);
  const media = mediaParts(message.content);
  if (texts.length === 0 && media.length === 0) return [];
  const content = media.length === 0 ? texts.join('\n\n') : message.content.flatMap(inputPart);
  return [JSON.stringify({ role: ROLES[message.role], content })];
});

function inputPart(part: MessageItem['content'][number]): readonly object[] {
  return [...textParts([part]).map((text) => ({ type: 'text', text })), ...mediaParts([part])];
}

/** Settings for sending reasoning. */
interface SendReasoning {
  /** JSON text that replaces the reasoning of a call that has none. */
  readonly missing: string | undefined;
}

function responseTexts(group: ResponseGroup, send: SendReasoning | undefined, names: SentNames): readonly string[] {
  const { reasoning, messages, calls } = group;
  const { idOf } = names;
  const content = joined(messages.map(contentText));
  // Servers refuse an assistant message without text and without calls.
  if (content === undefined && calls.length === 0) return [];
  const sentReasoning = send && (groupReasoning(group) ?? (calls.length > 0 ? send.missing : undefined));
  const carriers = reasoning.filter(hasOpaqueState);
  const details = send ? carriers.flatMap((item) => opaqueTexts(item).details) : [];
  const texts = calls.map(({ call }) => namedCallText(call, extraFor(call, carriers), names));
  const fields = [
    `"role":"assistant","content":${content ?? 'null'}`,
    ...(sentReasoning === undefined ? [] : [`"reasoning_content":${sentReasoning}`]),
    ...(details.length === 0 ? [] : [`"reasoning_details":[${details.join(',')}]`]),
    ...(texts.length === 0 ? [] : [`"tool_calls":[${texts.join(',')}]`]),
  ];
  const answers = calls.map((answered) => answerText(answered, idOf(answered.call.call_id)));
  return [`{${fields.join(',')}}`, ...answers, ...attachments(calls)];
}

const EMPTY = '""';

function groupReasoning({ reasoning }: ResponseGroup): string | undefined {
  return joined(reasoning.map(reasoningText));
}

const contentText = oncePerItem((message: MessageItem) => JSON.stringify(textParts(message.content).join('')));

/** Reasoning as JSON text. The sealed text comes before the summary, which may say less. */
const reasoningText = oncePerItem((item: ReasoningItem) => {
  const raw = (item.content ?? []).map(({ text }) => text).join('');
  const summary = () => (item.summary ?? []).map(({ text }) => text).join('\n\n');
  return JSON.stringify(raw || decodeOpaqueState(item.encrypted_content)?.text || summary());
});

interface OpaqueTexts {
  readonly details: readonly string[];
  /** `extra_content` as JSON text, by the ids of calls. */
  readonly extra: ReadonlyMap<string, string>;
}

const opaqueTexts = oncePerItem(({ encrypted_content }: ReasoningItem): OpaqueTexts => {
  const state = decodeOpaqueState(encrypted_content);
  return {
    details: (state?.details ?? []).map((entry) => JSON.stringify(entry)),
    extra: new Map(Array.from(state?.extra ?? [], ([id, extra]) => [id, JSON.stringify(extra)])),
  };
});

/** Returns the `extra_content` of a call. It is sent with the call even where the reasoning is not. */
function extraFor({ call_id }: CallItem, carriers: readonly ReasoningItem[]): string {
  for (const item of carriers) {
    const extra = opaqueTexts(item).extra.get(call_id);
    if (extra !== undefined) return extra;
  }
  return '';
}

/** Joins JSON strings with blank lines between them, without parsing them; undefined if all are empty. */
function joined(strings: readonly string[]): string | undefined {
  const spoken = strings.filter((text) => text !== EMPTY);
  if (spoken.length < 2) return spoken[0];
  return `"${spoken.map((text) => text.slice(1, -1)).join('\\n\\n')}"`;
}

function namedCallText(call: CallItem, extra: string, { idOf, renamed }: SentNames): string {
  const id = idOf(call.call_id);
  if (renamed.size === 0 || call.type === 'local_shell_call') return callText(call, id, extra);
  const name = renamed.get(toolKey(call.namespace, call.name));
  return name === undefined ? callText(call, id, extra) : functionText({ ...toFunctionForm(call), name }, id, extra);
}

const callText = oncePerTexts((call: CallItem, id, extra) => functionText(toFunctionForm(call), id, extra));

function functionText(form: FunctionForm, id: string, extra: string): string {
  const text = JSON.stringify({ id, type: 'function', function: form });
  return extra === '' ? text : `${text.slice(0, -1)},"extra_content":${extra}}`;
}

function answerText({ output }: AnsweredCall, id: string): string {
  return output === undefined ? toolMessage(id, 'aborted') : outputText(output, id, '');
}

const outputText = oncePerTexts(({ output }: CallOutputItem, id) => {
  if (typeof output === 'string') return toolMessage(id, output);
  const texts = textParts(output);
  if (texts.length > 0 || mediaParts(output).length === 0) return toolMessage(id, texts.join('\n'));
  return toolMessage(id, output.some(({ type }) => type === 'input_image') ? ATTACHED_IMAGE : ATTACHED_FILE);
});

function toolMessage(callId: string, content: string): string {
  return JSON.stringify({ role: 'tool', tool_call_id: callId, content });
}

/**
 * Returns one user message with the images of all results, placed after the last result. Only users may send images,
 * and no message may stand between results.
 */
function attachments(calls: readonly AnsweredCall[]): readonly string[] {
  const parts = calls.flatMap(({ output }) => (output === undefined ? [] : mediaTexts(output)));
  return parts.length === 0 ? [] : [`{"role":"user","content":[${parts.join(',')}]}`];
}

const mediaTexts = oncePerItem(({ output }: CallOutputItem): readonly string[] =>
  typeof output === 'string' ? [] : mediaParts(output).map((part) => JSON.stringify(part)),
);
