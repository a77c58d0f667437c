import { flatMap } from '../../base/flat-map.ts';
import type { ContentPart, FunctionCallItem, Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { type FieldReader, type Fields, listOf, object, optional, string, wrong } from '../fields/request-fields.ts';
import { madeCallId } from '../lowering/call-ids.ts';
import { imagePart } from './images.ts';

/** Splits a client's messages into the leading instructions and the items after them. */
export function decodeMessages(value: unknown): { readonly instructions: string; readonly input: readonly Item[] } {
  const [first, ...others] = (optional(value, 'messages', listOf(object)) ?? []).map((message, at) =>
    contentOf(message, `messages[${at}]`),
  );
  const waiting: FunctionCallItem[] = [];
  const isSystem = first?.role === 'system' && first.content.every(({ type }) => type === 'input_text');
  const instructions = isSystem ? first.content.map((part) => ('text' in part ? part.text : '')).join('') : '';
  const rest = isSystem || first === undefined ? others : [first, ...others];
  return { instructions, input: flatMap(rest, (message) => itemsOf(message, waiting)) };
}

interface ReadMessage {
  readonly role: string;
  readonly fields: Fields;
  /** Name of the message in errors. */
  readonly place: string;
  readonly content: readonly ContentPart[];
}

/** Reads the role, the text and the images of a message. */
function contentOf(fields: Fields, place: string): ReadMessage {
  const role = string(fields.role, `${place}.role`).toLowerCase();
  const text = optional(fields.content, `${place}.content`, contentText) ?? '';
  const images = optional(fields.images, `${place}.images`, listOf(string)) ?? [];
  const texts: readonly ContentPart[] = text === '' && images.length > 0 ? [] : [{ type: 'input_text', text }];
  return { role, fields, place, content: [...texts, ...images.map(imagePart)] };
}

/** Reads a text. Some clients send a list of parts, as on other wires. */
const contentText: FieldReader<string> = (value, field) => {
  if (!Array.isArray(value)) return string(value, field);
  return value
    .flatMap((part: unknown) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('');
};

/** Decodes one message. `waiting` has the calls so far that have no result. */
function itemsOf(message: ReadMessage, waiting: FunctionCallItem[]): readonly Item[] {
  const { role, content, place } = message;
  switch (role) {
    case 'system':
    case 'developer':
      return [{ type: 'message', role: 'developer', content }];
    case 'user':
      return [{ type: 'message', role: 'user', content }];
    case 'assistant':
      return assistantItems(message, waiting);
    case 'tool':
      return resultItems(message, waiting);
    default:
      throw wrong(`${place}.role`, '"system", "user", "assistant" or "tool"');
  }
}

function assistantItems({ fields, place, content }: ReadMessage, waiting: FunctionCallItem[]): readonly Item[] {
  const thinking = optional(fields.thinking, `${place}.thinking`, string) ?? '';
  const texts = flatMap(content, (part) => (part.type === 'input_text' && part.text !== '' ? [part.text] : []));
  const calls = (optional(fields.tool_calls, `${place}.tool_calls`, listOf(object)) ?? []).map((call, at) =>
    callItem(call, `${place}.tool_calls[${at}]`),
  );
  waiting.push(...calls);
  return [
    ...(thinking === '' ? [] : [reasoningItem(thinking)]),
    ...texts.map((text): Item => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })),
    ...calls,
  ];
}

function reasoningItem(text: string): Item {
  return { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }], encrypted_content: null };
}

/** Decodes a call. A call without an id gets one that is made of its place, which no later request changes. */
function callItem(call: Fields, place: string): FunctionCallItem {
  const form = object(call.function, `${place}.function`);
  const name = string(form.name, `${place}.function.name`);
  const call_id = optional(call.id, `${place}.id`, string) || madeCallId(JSON.stringify([place, name]));
  return {
    type: 'function_call',
    name,
    arguments: argumentsText(form.arguments, `${place}.function.arguments`),
    call_id,
  };
}

/** Reads arguments as a text. Some clients send the text of the object, as on other wires. */
function argumentsText(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(optional(value, field, object) ?? {});
}

/** Decodes a result. A result without a call keeps its text, under an id of its own. */
function resultItems({ fields, place, content }: ReadMessage, waiting: FunctionCallItem[]): readonly Item[] {
  const { tool_call_id, tool_name, name } = fields;
  const id = optional(tool_call_id, `${place}.tool_call_id`, string) || undefined;
  const tool = optional(tool_name ?? name, `${place}.tool_name`, string);
  const at = placeOfCall(waiting, id, tool);
  const [call] = at < 0 ? [] : waiting.splice(at, 1);
  const call_id = call?.call_id ?? id ?? madeCallId(JSON.stringify([place, tool]));
  const [only] = content;
  const isText = content.length === 1 && only?.type === 'input_text';
  return [{ type: 'function_call_output', call_id, output: isText ? only.text : content }];
}

/**
 * Returns the position of the call that a result answers. Clients name the call, only its tool, or neither: then calls
 * are answered in their order.
 */
function placeOfCall(waiting: readonly FunctionCallItem[], id: string | undefined, tool: string | undefined): number {
  if (id !== undefined) return waiting.findIndex(({ call_id }) => call_id === id);
  const named = waiting.findIndex(({ name }) => name === tool);
  return named < 0 && waiting.length > 0 ? 0 : named;
}
