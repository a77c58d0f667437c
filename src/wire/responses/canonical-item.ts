import { HOSTED_ITEM_TYPES, type Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../fields/request-fields.ts';
import { asItCame, known, number, object, oneOf, type Reader, text, textMap, texts, union } from './reader.ts';

/**
 * Returns an item of a server or a client in the form of the history: the known fields of its type, in the order of
 * arrival. Undefined for unknown types and for items without a required field. Nothing is repaired here.
 */
export function canonicalItem(value: unknown): Item | undefined {
  if (!isRecord(value)) return undefined;
  const type = canonicalType(value);
  if (type === undefined) return undefined;
  return readItem(type === value.type ? value : { ...value, type }, {}) as Item | undefined;
}

/** Returns the type of an item; undefined if it is unknown. A message may come without a type. */
export function canonicalType(value: Fields): Item['type'] | undefined {
  const type = value.type ?? (value.role === undefined ? undefined : 'message');
  return KNOWN_TYPES.get(type);
}

const textPart = object({ type: text, text });

const readPart = union({
  input_text: textPart,
  input_image: object({ type: text, image_url: text, 'detail?': text }),
  input_audio: asItCame,
  input_file: asItCame,
  output_text: textPart,
  refusal: object({ type: text, refusal: text }),
});
const readSummaryPart = union({ summary_text: textPart });
const readReasoningPart = union({ reasoning_text: textPart, text: textPart });

const readAction = object({
  type: oneOf('exec'),
  command: texts,
  'timeout_ms?': number,
  'working_directory?': text,
  'env?': textMap,
  'user?': text,
});

const ITEMS: Readonly<Record<Exclude<Item['type'], (typeof HOSTED_ITEM_TYPES)[number]>, Reader>> = {
  message: object({
    type: text,
    'id?': text,
    role: oneOf('user', 'assistant', 'developer', 'system'),
    content: messageContent,
    'phase?': oneOf('commentary', 'final_answer'),
  }),
  reasoning: object({
    type: text,
    'id?': text,
    summary: (value) => known(Array.isArray(value) ? value : [], readSummaryPart),
    content: reasoningContent,
    encrypted_content: (value) => text(value) ?? null,
  }),
  function_call: object({ type: text, 'id?': text, name: text, 'namespace?': text, arguments: text, call_id: callId }),
  function_call_output: object({ type: text, 'id?': text, call_id: text, output: callOutput }),
  custom_tool_call: object({
    type: text,
    'id?': text,
    'status?': text,
    call_id: callId,
    name: text,
    'namespace?': text,
    input: text,
  }),
  custom_tool_call_output: object({ type: text, 'id?': text, call_id: text, output: callOutput }),
  local_shell_call: object({ type: text, 'id?': text, call_id: callId, 'status?': text, action: readAction }),
};

const readItem = union({ ...ITEMS, ...Object.fromEntries(HOSTED_ITEM_TYPES.map((type) => [type, asItCame])) });

const KNOWN_TYPES: ReadonlyMap<unknown, Item['type']> = new Map<unknown, Item['type']>([
  ...(Object.keys(ITEMS) as (keyof typeof ITEMS)[]).map((type) => [type, type] as const),
  ...HOSTED_ITEM_TYPES.map((type) => [type, type] as const),
  ['compaction_summary', 'compaction'],
]);

function messageContent(value: unknown, owner: Fields): unknown {
  if (typeof value === 'string') {
    return [{ type: owner.role === 'assistant' ? 'output_text' : 'input_text', text: value }];
  }
  if (!Array.isArray(value)) return undefined;
  const parts = known(value, readPart);
  return parts.length === 0 && value.length > 0 ? undefined : parts;
}

function reasoningContent(value: unknown): unknown {
  if (!Array.isArray(value)) return null;
  const parts = known(value, readReasoningPart);
  return parts.length === 0 && value.length > 0 ? null : parts;
}

function callId(value: unknown, owner: Fields): unknown {
  return text(value) ?? text(owner.id);
}

/** Reads an output. Some clients wrap it as `{content, success}`; servers reject an object there. */
function callOutput(value: unknown): unknown {
  const output = isRecord(value) ? value.content : value;
  if (!Array.isArray(output)) return text(output);
  const parts = known(output, readPart) as { type: string; text?: string }[];
  // A call must keep its output, even if all parts of the output are unknown.
  if (parts.length === 0 && output.length > 0) return '';
  return parts.length === 1 ? (parts[0]?.text ?? parts) : parts;
}
