import { type CallOutputItem, type Item, isCallOutput, type MessageItem, type ReasoningItem } from '../../base/item.ts';
import { itemText } from '../../base/item-text.ts';
import type { ModelRequest, OutputSchema } from '../../base/model.ts';
import { type RequestText, requestText } from '../../base/request-text.ts';
import type { ToolSpec } from '../../base/tool.ts';
import type { Compat } from '../../base/wire.ts';
import { writeSampling } from '../fields/sampling-fields.ts';
import { type SentId, sentIds } from '../lowering/call-ids.ts';
import { hasOpaqueState, isSealed } from '../opaque/opaque-state.ts';
import { SAMPLING_NAMES } from './sampling-names.ts';

/**
 * Encodes a request. The order of the fields is fixed, and items and tools keep the characters of their first
 * serialisation. So consecutive requests share their prefix byte for byte.
 */
export function encodeRequest(request: ModelRequest, compat: Compat): RequestText {
  const { instructions } = request;
  const asItem = compat.instructions === 'item' && instructions !== '';
  const fields: Readonly<Record<string, string | readonly string[] | undefined>> = {
    model: JSON.stringify(request.model),
    instructions: asItem || instructions === '' ? undefined : JSON.stringify(instructions),
    input: inputTexts(request, compat, asItem),
    tools: toolsText(request.tools),
    tool_choice: JSON.stringify(request.toolChoice),
    parallel_tool_calls: String(request.parallelToolCalls && compat.parallelToolCalls),
    reasoning: JSON.stringify({ effort: request.reasoning.effort, summary: request.reasoning.summary }),
    store: String(request.store),
    stream: 'true',
    include: JSON.stringify(request.include),
    prompt_cache_key: JSON.stringify(request.cacheKey),
    text: textSettings(request.text),
    client_metadata: JSON.stringify(request.metadata),
    previous_response_id: JSON.stringify(request.previousResponseId),
    ...writeSampling(request.sampling, SAMPLING_NAMES),
  };
  return requestText(Object.entries(fields));
}

function inputTexts(request: ModelRequest, compat: Compat, instructionsFirst: boolean): readonly string[] {
  const idOf = sentIds(compat.callIds);
  const items = instructionsFirst ? [itemText(developerMessage(request.instructions))] : [];
  for (const item of request.input) {
    if (compat.toolOutput === 'object' && isCallOutput(item)) items.push(wrappedText(item, request.failedCalls, idOf));
    else if (item.type !== 'reasoning') items.push(namedText(item, idOf));
    else if (compat.sendReasoning !== 'none' && isReadable(item)) items.push(reasoningText(item));
  }
  return items;
}

/**
 * Reports whether a server of this wire can read the reasoning. Servers refuse opaque state of another wire; a gateway
 * reads the state that it sealed.
 */
function isReadable(item: ReasoningItem): boolean {
  return !hasOpaqueState(item) || isSealed(item);
}

/** Returns the text of an item with the id that its call has in this request. */
function namedText(item: Item, idOf: SentId): string {
  const callId = 'call_id' in item ? item.call_id : undefined;
  if (typeof callId !== 'string') return itemText(item);
  const id = idOf(callId);
  return id === callId ? itemText(item) : renamedText(item, id);
}

const renamed = new WeakMap<Item, { readonly id: string; readonly text: string }>();

function renamedText(item: Item, id: string): string {
  const known = renamed.get(item);
  if (known?.id === id) return known.text;
  const text = JSON.stringify({ ...item, call_id: id });
  renamed.set(item, { id, text });
  return text;
}

/** Returns the text of an output as an object that says whether the call succeeded, for servers that read this form. */
function wrappedText(item: CallOutputItem, failed: ReadonlySet<string> | undefined, idOf: SentId): string {
  const output = { content: item.output, success: failed?.has(item.call_id) !== true };
  return JSON.stringify({ ...item, call_id: idOf(item.call_id), output });
}

/**
 * Returns the text of reasoning with a summary. Servers require one, and a history from another program may have none.
 */
function reasoningText(item: ReasoningItem): string {
  return Array.isArray(item.summary) ? itemText(item) : JSON.stringify({ ...item, summary: [] });
}

function developerMessage(text: string): MessageItem {
  return { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
}

const toolTexts = new WeakMap<readonly ToolSpec[], string>();

function toolsText(tools: readonly ToolSpec[]): string {
  let text = toolTexts.get(tools);
  if (text === undefined) {
    text = JSON.stringify(tools);
    toolTexts.set(tools, text);
  }
  return text;
}

function textSettings(text: ModelRequest['text']): string | undefined {
  const verbosity = text?.verbosity;
  const schema = text?.schema;
  if (verbosity === undefined && schema === undefined) return undefined;
  return JSON.stringify({ verbosity, format: schema && outputFormat(schema) });
}

function outputFormat({ name, strict, schema, description, anyObject }: OutputSchema): object {
  return anyObject ? { type: 'json_object' } : { type: 'json_schema', strict, schema, name, description };
}
