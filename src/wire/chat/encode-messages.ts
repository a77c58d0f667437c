import type { CallItem, CallOutputItem, Item, MessageItem, ReasoningItem, Role } from '../../base/item.ts';
import { mediaParts, textParts } from './content-parts.ts';
import { toFunctionForm } from './function-form.ts';
import { type AnsweredCall, groupHistory, type ResponseGroup } from './group-history.ts';

/**
 * The `messages` of a request as JSON text, in an order that strict servers take: the calls of a response in one
 * assistant message with its text, their answers right behind it in the order of the calls, then everything else.
 */
export function encodeMessages(instructions: string, items: readonly Item[]): string {
  const system = instructions === '' ? [] : [`{"role":"system","content":${JSON.stringify(instructions)}}`];
  const messages = groupHistory(items).flatMap((group) =>
    group.kind === 'message' ? messageTexts(group.message) : responseTexts(group),
  );
  return `[${[...system, ...messages].join(',')}]`;
}

/** What a role is called here. Few servers know developers. */
const ROLES: Readonly<Record<Role, string>> = {
  user: 'user',
  developer: 'system',
  system: 'system',
  assistant: 'assistant',
};

/** None for a message that holds nothing which could be sent. */
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

function responseTexts({ reasoning, messages, calls }: ResponseGroup): readonly string[] {
  const content = joined(messages.map(contentText));
  // An assistant who says and does nothing is refused by servers.
  if (content === undefined && calls.length === 0) return [];
  const thought = joined(reasoning.map(reasoningText));
  const fields = [
    `"role":"assistant","content":${content ?? 'null'}`,
    ...(thought === undefined ? [] : [`"reasoning_content":${thought}`]),
    ...(calls.length === 0 ? [] : [`"tool_calls":[${calls.map(({ call }) => callText(call)).join(',')}]`]),
  ];
  return [`{${fields.join(',')}}`, ...calls.map(answerText), ...attachments(calls)];
}

const EMPTY = '""';

const contentText = oncePerItem((message: MessageItem) => JSON.stringify(textParts(message.content).join('')));

const reasoningText = oncePerItem(({ content, summary }: ReasoningItem) => {
  const raw = (content ?? []).map(({ text }) => text).join('');
  return JSON.stringify(raw === '' ? summary.map(({ text }) => text).join('\n\n') : raw);
});

/** JSON strings as one, blank lines between them, without reading them again; undefined when none says anything. */
function joined(strings: readonly string[]): string | undefined {
  const spoken = strings.filter((text) => text !== EMPTY);
  if (spoken.length < 2) return spoken[0];
  return `"${spoken.map((text) => text.slice(1, -1)).join('\\n\\n')}"`;
}

const callText = oncePerItem((call: CallItem) =>
  JSON.stringify({ id: call.call_id, type: 'function', function: toFunctionForm(call) }),
);

function answerText({ call, output }: AnsweredCall): string {
  return output === undefined ? toolMessage(call.call_id, 'aborted') : outputText(output);
}

const outputText = oncePerItem(({ call_id, output }: CallOutputItem) => {
  if (typeof output === 'string') return toolMessage(call_id, output);
  const texts = textParts(output);
  const onlyMedia = texts.length === 0 && mediaParts(output).length > 0;
  return toolMessage(call_id, onlyMedia ? 'attached image' : texts.join('\n'));
});

function toolMessage(callId: string, content: string): string {
  return JSON.stringify({ role: 'tool', tool_call_id: callId, content });
}

/** Only users may show images, and nobody may speak between the answers: one message behind all of them. */
function attachments(calls: readonly AnsweredCall[]): readonly string[] {
  const parts = calls.flatMap(({ output }) => (output === undefined ? [] : mediaTexts(output)));
  return parts.length === 0 ? [] : [`{"role":"user","content":[${parts.join(',')}]}`];
}

const mediaTexts = oncePerItem(({ output }: CallOutputItem): readonly string[] =>
  typeof output === 'string' ? [] : mediaParts(output).map((part) => JSON.stringify(part)),
);

/** Items never change and are sent with every request that follows, so that each is put into words once. */
function oncePerItem<I extends Item, T>(make: (item: I) => T): (item: I) => T {
  const made = new WeakMap<I, T>();
  return (item) => {
    let value = made.get(item);
    if (value === undefined) {
      value = make(item);
      made.set(item, value);
    }
    return value;
  };
}
