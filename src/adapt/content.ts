import { isRecord } from '../base/json-schema.ts';
import type { AdaptRules, Message } from './adapt-rules.ts';

/** Joins contents: a text if all of them are texts, else a list of parts. */
export function joinContents(rules: AdaptRules, role: string, contents: readonly unknown[]): unknown {
  const spoken = contents.filter((content) => !isNothing(content));
  if (spoken.length < 2) return spoken[0] ?? contents.find((content) => content !== undefined);
  if (spoken.every((content) => typeof content === 'string')) return spoken.join('\n\n');
  return spoken.flatMap((content): unknown[] => {
    if (typeof content === 'string') return [rules.textPart(role, content)];
    return Array.isArray(content) ? content : [content];
  });
}

/** Returns the text of a content; undefined if it holds more than text. */
export function plainText(content: unknown): string | undefined {
  if (isNothing(content)) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map(partText);
  return texts.includes(undefined) ? undefined : texts.join('\n\n');
}

/** Returns the text of a part; undefined if the part is not text. */
export function partText(part: unknown): string | undefined {
  if (typeof part === 'string') return part;
  if (!isRecord(part)) return undefined;
  if (part.type === 'refusal' && typeof part.refusal === 'string') return part.refusal;
  const isText = part.type === 'text' || part.type === 'input_text' || part.type === 'output_text';
  return isText && typeof part.text === 'string' ? part.text : undefined;
}

/** Reports whether a content is absent, empty or white space. */
export function isBlankContent(content: unknown): boolean {
  return plainText(content)?.trim() === '';
}

/**
 * Merges messages of one role. Fields that only some of them have are kept. Of a field that cannot be joined, the first
 * value counts.
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

/** Joins the lists among the values; undefined if there are none. */
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
