import { isRecord } from '../base/json-schema.ts';
import type { AdaptRules, Message } from './adapt-rules.ts';

/** Returns contents as one: a text while all of them are texts, else a list of parts. */
export function joinContents(rules: AdaptRules, role: string, contents: readonly unknown[]): unknown {
  const spoken = contents.filter((content) => !isNothing(content));
  if (spoken.length < 2) return spoken[0] ?? contents.find((content) => content !== undefined);
  if (spoken.every((content) => typeof content === 'string')) return spoken.join('\n\n');
  return spoken.flatMap((content): unknown[] => {
    if (typeof content === 'string') return [rules.textPart(role, content)];
    return Array.isArray(content) ? content : [content];
  });
}

/** The text of a content; undefined for one that holds more than text. */
export function plainText(content: unknown): string | undefined {
  if (isNothing(content)) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map(partText);
  return texts.includes(undefined) ? undefined : texts.join('\n\n');
}

/** The text of a part; undefined for a part that is something else. */
export function partText(part: unknown): string | undefined {
  if (typeof part === 'string') return part;
  if (!isRecord(part)) return undefined;
  if (part.type === 'refusal' && typeof part.refusal === 'string') return part.refusal;
  const isText = part.type === 'text' || part.type === 'input_text' || part.type === 'output_text';
  return isText && typeof part.text === 'string' ? part.text : undefined;
}

/** Whether a content says nothing: there is none, or nothing but white space. */
export function isBlankContent(content: unknown): boolean {
  return plainText(content)?.trim() === '';
}

/**
 * Returns messages of one role as one. Fields that only some of them have survive; of those that cannot be joined the first
 * counts.
 */
export function mergeMessages(rules: AdaptRules, messages: readonly [Message, ...Message[]]): Message {
  const [first] = messages;
  if (messages.length === 1) return first;
  let merged: Message = first;
  for (const message of messages) merged = { ...message, ...merged };
  const fields = Object.entries({ content: joinContents(rules, first.role, valuesOf(messages, 'content')) });
  for (const name of rules.joined.lists) fields.push([name, joinedLists(valuesOf(messages, name))]);
  for (const name of rules.joined.texts) fields.push([name, joinedTexts(valuesOf(messages, name))]);
  return { ...merged, ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)) };
}

function valuesOf(messages: readonly Message[], name: string): readonly unknown[] {
  return messages.map((message) => message[name]);
}

/** Undefined where there are not two of them: then the first value stays. */
function joinedLists(values: readonly unknown[]): unknown {
  const lists = values.filter((value) => Array.isArray(value));
  return lists.length < 2 ? lists[0] : lists.flat();
}

function joinedTexts(values: readonly unknown[]): unknown {
  const texts = values.filter((value) => typeof value === 'string' && value !== '');
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

function isNothing(content: unknown): boolean {
  if (Array.isArray(content)) return content.length === 0;
  return content === undefined || content === null || content === '';
}
