import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest } from '../../base/model.ts';
import { decodeTool } from '../fields/decode-tool.ts';
import { readOutputFormat } from '../fields/output-format.ts';
import { readToolChoice } from '../fields/read-tool-choice.ts';
import { boolean, type Fields, listOf, optional, string } from '../fields/request-fields.ts';
import { readSampling } from '../fields/sampling-fields.ts';
import { decodeMessages } from './decode-messages.ts';
import { SAMPLING_NAMES } from './sampling-names.ts';

/** Decodes a parsed body. Fields that a `ModelRequest` does not have are ignored. */
export function decodeRequest(body: unknown): ModelRequest {
  if (!isRecord(body)) throw new UserError('invalid_input', 'The body of the request must be a JSON object.');
  const { instructions, input } = decodeMessages(body.messages);
  const effort = reasoningEffort(body);
  const cacheKey = optional(body.prompt_cache_key, 'prompt_cache_key', string);
  const verbosity = optional(body.verbosity, 'verbosity', string);
  const schema = optional(body.response_format, 'response_format', readOutputFormat);
  const text = { ...(verbosity !== undefined && { verbosity }), ...(schema !== undefined && { schema }) };
  return {
    model: string(body.model, 'model'),
    instructions,
    input,
    ...readToolChoice(body.tool_choice, optional(body.tools, 'tools', listOf(decodeTool)) ?? []),
    parallelToolCalls: optional(body.parallel_tool_calls, 'parallel_tool_calls', boolean) ?? true,
    reasoning: effort === undefined ? {} : { effort },
    ...(Object.keys(text).length > 0 && { text }),
    store: optional(body.store, 'store', boolean) ?? false,
    include: [],
    ...(cacheKey !== undefined && { cacheKey }),
    ...readSampling(body, SAMPLING_NAMES),
  };
}

/** Reads the effort. Some clients write it as the Responses wire does. */
function reasoningEffort({ reasoning_effort, reasoning }: Fields): string | undefined {
  const effort = optional(reasoning_effort, 'reasoning_effort', string);
  return effort ?? (isRecord(reasoning) ? optional(reasoning.effort, 'reasoning.effort', string) : undefined);
}
