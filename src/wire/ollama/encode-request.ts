import type { ModelRequest } from '../../base/model.ts';
import { type RequestText, requestText } from '../../base/request-text.ts';
import type { ToolSpec } from '../../base/tool.ts';
import type { Compat } from '../../base/wire.ts';
import { writeSampling } from '../fields/sampling-fields.ts';
import { type DeclaredTool, declaredTools, renamedTools } from '../lowering/declared-tools.ts';
import { functionParts } from '../lowering/function-parts.ts';
import { encodeMessages } from './encode-messages.ts';
import { SAMPLING_NAMES } from './sampling-names.ts';

/**
 * Encodes a request. A server may cut a prompt that is longer than the window without a word, so the request forbids
 * that, and the server reports it. Older servers ignore the field.
 */
export function encodeRequest(request: ModelRequest, { callIds, sendReasoning }: Compat): RequestText {
  const { model, instructions, input, tools, reasoning, text } = request;
  const sent = encodeTools(tools, request.toolChoice);
  const replay = { callIds, sendReasoning, renamed: renamedTools(tools) };
  return requestText([
    ['model', JSON.stringify(model)],
    ['messages', encodeMessages(instructions, input, replay)],
    ['tools', sent === '' ? undefined : sent],
    ['stream', 'true'],
    ['think', thinkText(reasoning.effort)],
    ['format', formatText(text)],
    ['options', optionsText(request)],
    ['truncate', 'false'],
  ]);
}

const texts = new WeakMap<readonly ToolSpec[], string>();

/**
 * Encodes the tools as JSON text; empty for a request without tools. The wire has no field for a choice. For the choice
 * `none`, no tools are sent, and for a certain tool, only that tool. The choice `required` is not sent.
 */
function encodeTools(tools: readonly ToolSpec[], choice: ModelRequest['toolChoice']): string {
  if (tools.length === 0 || choice === 'none') return '';
  if (typeof choice === 'object') {
    return toolsText(
      [...declaredTools(tools)].filter(([name, tool]) => name === choice.name || isTool(tool, choice.name)),
    );
  }
  let text = texts.get(tools);
  if (text === undefined) {
    text = toolsText([...declaredTools(tools)]);
    texts.set(tools, text);
  }
  return text;
}

function isTool(tool: DeclaredTool, name: string): boolean {
  return tool.kind !== 'local_shell' && tool.spec.name === name;
}

function toolsText(tools: readonly (readonly [name: string, tool: DeclaredTool])[]): string {
  if (tools.length === 0) return '';
  const functions = tools.map(([name, tool]) => {
    const { description, parameters } = functionParts(tool);
    return { type: 'function', function: { name, description, parameters } };
  });
  return JSON.stringify(functions);
}

/**
 * Returns the value for an effort. Only some models have levels, and the others take a level for true. Without an
 * effort, the model decides. A model that cannot think refuses all values but false.
 */
function thinkText(effort: string | undefined): string | undefined {
  if (effort === undefined) return undefined;
  return EFFORTS.get(effort) ?? 'true';
}

/** Values of `think`, by effort. Few servers know `max`, so it is sent only where it was asked for by this name. */
const EFFORTS: ReadonlyMap<string, string> = new Map([
  ['none', 'false'],
  ['minimal', '"low"'],
  ['low', '"low"'],
  ['medium', '"medium"'],
  ['high', '"high"'],
  ['xhigh', '"high"'],
  ['max', '"max"'],
]);

function formatText(text: ModelRequest['text']): string | undefined {
  const format = text?.schema;
  if (format === undefined) return undefined;
  return format.anyObject ? '"json"' : JSON.stringify(format.schema);
}

function optionsText({ sampling, contextWindow }: ModelRequest): string | undefined {
  const options = Object.entries(writeSampling(sampling, SAMPLING_NAMES)).map(([name, value]) => `"${name}":${value}`);
  if (contextWindow !== undefined) options.push(`"num_ctx":${contextWindow}`);
  return options.length === 0 ? undefined : `{${options.join(',')}}`;
}
