import type { CallItem, ContentPart, Item, Output } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import { fieldsOf, isSet } from '../fields/lenient-fields.ts';
import { type FieldReader, type Fields, listOf, object, optional, string, wrong } from '../fields/request-fields.ts';
import { encodeOpaqueState } from '../opaque/opaque-state.ts';

/** Splits a client's messages into the leading instructions and the items after them. */
export function decodeMessages(value: unknown): { readonly instructions: string; readonly input: readonly Item[] } {
  const messages = listOf(object)(value, 'messages');
  const instructions = instructionsOf(messages[0]);
  const custom = new Set<string>();
  const input: Item[] = [];
  for (let i = instructions === undefined ? 0 : 1; i < messages.length; i++) {
    for (const item of decodeMessage(messages[i] ?? {}, `messages[${i}]`, custom)) input.push(item);
  }
  return { instructions: instructions ?? '', input };
}

/**
 * Returns the text of the first message if it holds instructions; undefined if it does not, or holds more than text.
 */
function instructionsOf(first: Fields | undefined): string | undefined {
  if (first?.role !== 'system' && first?.role !== 'developer') return undefined;
  const parts = inputContent(first.content, 'messages[0].content');
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []));
  return texts.length < parts.length ? undefined : texts.join('\n\n');
}

/** Decodes one message. `custom` collects the ids of calls of custom tools, whose outputs are decoded as such. */
function decodeMessage(message: Fields, field: string, custom: Set<string>): readonly Item[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [{ type: 'message', role: 'developer', content: inputContent(message.content, `${field}.content`) }];
    case 'user':
      return [{ type: 'message', role: 'user', content: inputContent(message.content, `${field}.content`) }];
    case 'assistant':
      return assistantItems(message, field, custom);
    case 'tool':
      return [toolOutput(message, field, custom)];
    default:
      throw wrong(`${field}.role`, '"system", "developer", "user", "assistant" or "tool"');
  }
}

function assistantItems(message: Fields, field: string, custom: Set<string>): readonly Item[] {
  const calls = optional(message.tool_calls, `${field}.tool_calls`, listOf(callItem)) ?? [];
  for (const call of calls) if (call.type === 'custom_tool_call') custom.add(call.call_id);
  const content = outputContent(message, field);
  return [
    ...reasoningItems(message),
    ...(content.length === 0 ? [] : [{ type: 'message', role: 'assistant', content } as const]),
    ...calls,
  ];
}

/**
 * Returns the reasoning of a message. Clients send its text under one of two names. The opaque state of the server
 * stays with the text.
 */
function reasoningItems(message: Fields): readonly Item[] {
  const { reasoning_content, reasoning } = message;
  const text = [reasoning_content, reasoning].find((value) => typeof value === 'string' && value !== '');
  const encrypted_content = opaqueStateOf(message);
  if (typeof text !== 'string' && encrypted_content === null) return [];
  const content = typeof text === 'string' ? [{ type: 'reasoning_text' as const, text }] : null;
  return [{ type: 'reasoning', summary: [], content, encrypted_content }];
}

function opaqueStateOf({ reasoning_details, tool_calls }: Fields): string | null {
  const details: readonly unknown[] = Array.isArray(reasoning_details) ? reasoning_details : [];
  const calls: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
  const extra = calls.flatMap((call): readonly (readonly [string, unknown])[] => {
    const { id, extra_content } = fieldsOf(call);
    return typeof id !== 'string' || !isSet(extra_content) ? [] : [[id, extra_content]];
  });
  return details.length === 0 && extra.length === 0 ? null : encodeOpaqueState({ details, extra: new Map(extra) });
}

function outputContent({ content, refusal }: Fields, field: string): readonly ContentPart[] {
  const parts = optional(content, `${field}.content`, inputContent) ?? [];
  const texts = parts.flatMap((part): readonly ContentPart[] => {
    if (part.type === 'refusal') return [part];
    return part.type === 'input_text' && part.text !== '' ? [{ type: 'output_text', text: part.text }] : [];
  });
  return typeof refusal === 'string' && refusal !== '' ? [...texts, { type: 'refusal', refusal }] : texts;
}

const callItem: FieldReader<CallItem> = (value, field) => {
  const call = object(value, field);
  const call_id = string(call.id, `${field}.id`);
  if (call.type === 'custom') {
    const { name, input } = object(call.custom, `${field}.custom`);
    return {
      type: 'custom_tool_call',
      call_id,
      name: string(name, `${field}.custom.name`),
      input: string(input, `${field}.custom.input`),
    };
  }
  const { name, arguments: args } = object(call.function, `${field}.function`);
  return {
    type: 'function_call',
    name: string(name, `${field}.function.name`),
    arguments: string(args, `${field}.function.arguments`),
    call_id,
  };
};

function toolOutput(message: Fields, field: string, custom: ReadonlySet<string>): Item {
  const call_id = string(message.tool_call_id, `${field}.tool_call_id`);
  const parts = inputContent(message.content, `${field}.content`);
  const [only] = parts;
  const output: Output = parts.length === 1 && only?.type === 'input_text' ? only.text : parts;
  return { type: custom.has(call_id) ? 'custom_tool_call_output' : 'function_call_output', call_id, output };
}

/** Reads a content as parts. Unknown parts are left out; a content of nothing but unknown parts is refused. */
const inputContent: FieldReader<readonly ContentPart[]> = (value, field) => {
  if (typeof value === 'string') return [{ type: 'input_text', text: value }];
  if (!Array.isArray(value)) throw wrong(field, 'a string or an array of parts');
  const parts = value.flatMap((part: unknown) => (isRecord(part) ? contentPart(part) : []));
  if (parts.length === 0 && value.length > 0) throw wrong(field, 'a content with texts or images');
  return parts;
};

function contentPart(part: Fields): readonly ContentPart[] {
  if (part.type === 'text' && typeof part.text === 'string') return [{ type: 'input_text', text: part.text }];
  if (part.type === 'refusal' && typeof part.refusal === 'string') return [{ type: 'refusal', refusal: part.refusal }];
  if (part.type === 'input_audio') return [{ ...part, type: 'input_audio' }];
  if (part.type === 'file' && isRecord(part.file)) return [{ ...part.file, type: 'input_file' }];
  return part.type === 'image_url' ? imagePart(part.image_url) : [];
}

/** Reads an image. Some clients leave out the object around the address. */
function imagePart(image: unknown): readonly ContentPart[] {
  const { url, detail } = isRecord(image) ? image : { url: image, detail: undefined };
  if (typeof url !== 'string') return [];
  return [{ type: 'input_image', image_url: url, ...(typeof detail === 'string' && { detail }) }];
}
