import type { MessageItem } from '../../base/item.ts';
import { itemText } from '../../base/item-text.ts';
import type { ModelRequest } from '../../base/model.ts';
import type { ToolSpec } from '../../base/tool.ts';
import type { Compat } from '../../base/wire.ts';

/**
 * A request as the JSON text of its body. The order of the fields is fixed and items and tools keep the characters of
 * their first serialisation, so that consecutive requests share their prefix byte for byte.
 */
export function encodeRequest(request: ModelRequest, compat: Compat): string {
  const { instructions } = request;
  const asItem = compat.instructions === 'item' && instructions !== '';
  const fields = {
    model: JSON.stringify(request.model),
    instructions: asItem || instructions === '' ? undefined : JSON.stringify(instructions),
    input: inputText(request, asItem),
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
  };
  return objectText(fields);
}

function inputText(request: ModelRequest, instructionsFirst: boolean): string {
  const items = request.input.map(itemText);
  if (instructionsFirst) items.unshift(itemText(developerMessage(request.instructions)));
  return `[${items.join(',')}]`;
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
  const format = schema && { type: 'json_schema', strict: schema.strict, schema: schema.schema, name: schema.name };
  return JSON.stringify({ verbosity, format });
}

function objectText(fields: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(fields).filter(([, text]) => text !== undefined);
  return `{${present.map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}
