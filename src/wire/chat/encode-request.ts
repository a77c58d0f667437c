import type { ModelRequest, ToolChoice } from '../../base/model.ts';
import { type RequestText, requestText } from '../../base/request-text.ts';
import type { Compat } from '../../base/wire.ts';
import { writeSampling } from '../fields/sampling-fields.ts';
import { renamedTools } from '../lowering/declared-tools.ts';
import { encodeMessages, type ReasoningReplay } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';
import { SAMPLING_NAMES } from './sampling-names.ts';

/**
 * Encodes a request. Fields that only some servers know are left out unless they are needed: strict servers refuse
 * unknown fields.
 */
export function encodeRequest(request: ModelRequest, compat: Compat): RequestText {
  const tools = encodeTools(request.tools);
  return requestText([
    ['model', JSON.stringify(request.model)],
    ['messages', encodeMessages(request.instructions, request.input, replayOf(request, compat))],
    ...(tools === '' ? [] : toolFields(tools, request, compat)),
    ['stream', 'true'],
    ['stream_options', '{"include_usage":true}'],
    ['reasoning_effort', JSON.stringify(request.reasoning.effort)],
    ['response_format', responseFormat(request.text)],
    ...Object.entries(writeSampling(request.sampling, SAMPLING_NAMES)),
  ]);
}

function replayOf({ tools }: ModelRequest, { callIds, sendReasoning }: Compat): ReasoningReplay {
  return { callIds, sendReasoning, renamed: renamedTools(tools) };
}

function toolFields(tools: string, request: ModelRequest, compat: Compat): readonly (readonly [string, string])[] {
  return [
    ['tools', tools],
    ['tool_choice', JSON.stringify(toolChoice(request.toolChoice))],
    ['parallel_tool_calls', String(request.parallelToolCalls && compat.parallelToolCalls)],
  ];
}

/** Returns the choice. Custom tools are functions on this wire, so a choice of one names a function too. */
function toolChoice(choice: ToolChoice): unknown {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function responseFormat(text: ModelRequest['text']): string | undefined {
  const format = text?.schema;
  if (format === undefined) return undefined;
  if (format.anyObject) return '{"type":"json_object"}';
  const { name, strict, schema, description } = format;
  return JSON.stringify({ type: 'json_schema', json_schema: { name, strict, schema, description } });
}
