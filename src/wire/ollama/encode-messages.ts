import { flatMap } from '../../base/flat-map.ts';
import type { CallItem, CallOutputItem, Item, MessageItem, ReasoningItem, Role } from '../../base/item.ts';
import type { Compat } from '../../base/wire.ts';
import { ATTACHED_IMAGE } from '../lowering/attached-media.ts';
import { type SentId, sentIds } from '../lowering/call-ids.ts';
import { toolKey } from '../lowering/flat-name.ts';
import { toFunctionForm } from '../lowering/function-form.ts';
import { type AnsweredCall, groupHistory, type ResponseGroup } from '../lowering/group-history.ts';
import { oncePerItem, oncePerTexts } from '../lowering/once-per-item.ts';
import { decodeOpaqueState } from '../opaque/opaque-state.ts';
import { argumentsObject } from './encode-call.ts';
import { imagesOf, textsOf } from './images.ts';

/**
 * Encodes the `messages` of a request, each as JSON text: the calls of a response in one assistant message with its text
 * and its reasoning, then the results in the order of the calls, then everything else.
 */
export function encodeMessages(instructions: string, items: readonly Item[], replay: HistoryReplay): readonly string[] {
  const names: SentNames = { idOf: sentIds(replay.callIds), renamed: replay.renamed };
  const first = instructions === '' ? [] : firstDevelopers(items);
  const system = [instructions, ...first.flatMap(({ content }) => textsOf(content))].join('\n\n');
  const messages = flatMap(groupHistory(items), (group, index): readonly string[] => {
    if (index < first.length) return [];
    if (group.kind === 'message') return messageTexts(group.message);
    const isSent = replay.sendReasoning === 'all' || (replay.sendReasoning === 'turn' && group.current);
    return responseTexts(group, isSent, names);
  });
  return instructions === '' ? messages : [textMessage('system', system), ...messages];
}

/** Settings for replaying the history. */
export interface HistoryReplay extends Pick<Compat, 'callIds' | 'sendReasoning'> {
  /** Functions whose names cannot be derived from their tools, by the keys of these tools. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Ids of calls and names of tools in one request. */
interface SentNames {
  readonly idOf: SentId;
  readonly renamed: ReadonlyMap<string, string>;
}

/** Names of the roles on this wire, which has no role for developers. */
const ROLES: Readonly<Record<Role, string>> = {
  user: 'user',
  developer: 'system',
  system: 'system',
  assistant: 'assistant',
};

/** Returns the developer messages right after the instructions. They join the instructions: templates expect one. */
function firstDevelopers(items: readonly Item[]): readonly MessageItem[] {
  const first: MessageItem[] = [];
  for (const item of items) {
    if (item.type !== 'message' || item.role !== 'developer' || imagesOf(item.content).length > 0) break;
    first.push(item);
  }
  return first;
}

/** Message as JSON text; empty for a message without anything to send. */
const messageTexts = oncePerItem(({ role, content }: MessageItem): readonly string[] => {
  const texts = textsOf(content);
  const images = imagesOf(content);
  if (texts.length === 0 && images.length === 0) return [];
  return [textMessage(ROLES[role], texts.join('\n\n'), images)];
});

function textMessage(role: string, content: string, images: readonly string[] = []): string {
  return JSON.stringify({ role, content, ...(images.length > 0 && { images }) });
}

function responseTexts(group: ResponseGroup, isThinkingSent: boolean, names: SentNames): readonly string[] {
  const { reasoning, messages, calls } = group;
  const content = joined(messages.map(contentText));
  if (content === EMPTY && calls.length === 0) return [];
  const thinking = isThinkingSent ? joined(reasoning.map(thinkingText)) : EMPTY;
  const texts = calls.map(({ call }) => callText(call, names.idOf(call.call_id), nameOf(call, names)));
  const fields = [
    `"role":"assistant","content":${content}`,
    ...(thinking === EMPTY ? [] : [`"thinking":${thinking}`]),
    ...(texts.length === 0 ? [] : [`"tool_calls":[${texts.join(',')}]`]),
  ];
  const results = calls.map((answered) => resultText(answered, names));
  return [`{${fields.join(',')}}`, ...results, ...attachments(calls)];
}

const EMPTY = '""';

const contentText = oncePerItem((message: MessageItem) => JSON.stringify(textsOf(message.content).join('')));

/** Reasoning as JSON text. The sealed text comes before the summary, which may say less. */
const thinkingText = oncePerItem((item: ReasoningItem) => {
  const raw = (item.content ?? []).map(({ text }) => text).join('');
  const summary = () => (item.summary ?? []).map(({ text }) => text).join('\n\n');
  return JSON.stringify(raw || decodeOpaqueState(item.encrypted_content)?.text || summary());
});

/** Joins JSON strings with blank lines between them, without parsing them. */
function joined(strings: readonly string[]): string {
  const spoken = strings.filter((text) => text !== EMPTY);
  if (spoken.length < 2) return spoken[0] ?? EMPTY;
  return `"${spoken.map((text) => text.slice(1, -1)).join('\\n\\n')}"`;
}

/** Returns the name of the function that stands for the tool of a call. */
function nameOf(call: CallItem, { renamed }: SentNames): string {
  const changed = call.type === 'local_shell_call' ? undefined : renamed.get(toolKey(call.namespace, call.name));
  return changed ?? toFunctionForm(call).name;
}

const callText = oncePerTexts((call: CallItem, id, name) => {
  const form = `{"name":${JSON.stringify(name)},"arguments":${argumentsObject(toFunctionForm(call).arguments)}}`;
  return `{"id":${JSON.stringify(id)},"function":${form}}`;
});

/** Servers find the call of a result by the id, or, if they are older, by the name of the tool. */
function resultText({ call, output }: AnsweredCall, names: SentNames): string {
  const [id, name] = [names.idOf(call.call_id), nameOf(call, names)];
  return output === undefined ? toolMessage('aborted', id, name) : outputText(output, id, name);
}

const outputText = oncePerTexts(({ output }: CallOutputItem, id = '', name = '') => {
  if (typeof output === 'string') return toolMessage(output, id, name);
  const texts = textsOf(output);
  const onlyImages = texts.length === 0 && imagesOf(output).length > 0;
  return toolMessage(onlyImages ? ATTACHED_IMAGE : texts.join('\n'), id, name);
});

function toolMessage(content: string, id: string, name: string): string {
  return JSON.stringify({ role: 'tool', content, tool_name: name, tool_call_id: id });
}

/** Returns one user message with the images of all results: templates show images of users only. */
function attachments(calls: readonly AnsweredCall[]): readonly string[] {
  const images = calls.flatMap(({ output }) => (output === undefined ? [] : imageTexts(output)));
  return images.length === 0 ? [] : [`{"role":"user","content":"","images":[${images.join(',')}]}`];
}

const imageTexts = oncePerItem(({ output }: CallOutputItem): readonly string[] =>
  typeof output === 'string' ? [] : imagesOf(output).map((image) => JSON.stringify(image)),
);
