import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest } from '../../base/model.ts';
import { decodeTool } from '../fields/decode-tool.ts';
import { readOutputFormat } from '../fields/output-format.ts';
import { readToolChoice } from '../fields/read-tool-choice.ts';
import { boolean, listOf, object, optional, string } from '../fields/request-fields.ts';
import { readSampling } from '../fields/sampling-fields.ts';
import { decodeInput } from './decode-input.ts';
import { SAMPLING_NAMES } from './sampling-names.ts';

/** Decodes a parsed body. Fields that a `ModelRequest` does not have are ignored. */
export function decodeRequest(body: unknown): ModelRequest {
  if (!isRecord(body)) throw new UserError('invalid_input', 'The body of the request must be a JSON object.');
  const cacheKey = optional(body.prompt_cache_key, 'prompt_cache_key', string);
  const text = optional(body.text, 'text', textSettings);
  const metadata = optional(body.client_metadata, 'client_metadata', stringMap);
  const previousResponseId = optional(body.previous_response_id, 'previous_response_id', string);
  const { input, tools } = decodeInput(body.input);
  const declared = optional(body.tools, 'tools', listOf(decodeTool)) ?? [];
  return {
    model: string(body.model, 'model'),
    instructions: optional(body.instructions, 'instructions', string) ?? '',
    input,
    ...readToolChoice(body.tool_choice, [...declared, ...tools]),
    parallelToolCalls: optional(body.parallel_tool_calls, 'parallel_tool_calls', boolean) ?? true,
    reasoning: optional(body.reasoning, 'reasoning', reasoning) ?? {},
    ...(text !== undefined && Object.keys(text).length > 0 && { text }),
    store: optional(body.store, 'store', boolean) ?? true,
    include: optional(body.include, 'include', listOf(string)) ?? [],
    ...(cacheKey !== undefined && { cacheKey }),
    ...(metadata !== undefined && { metadata }),
    ...(previousResponseId !== undefined && { previousResponseId }),
    ...readSampling(body, SAMPLING_NAMES),
  };
}

function reasoning(value: unknown, field: string): ModelRequest['reasoning'] {
  const settings = object(value, field);
  const effort = optional(settings.effort, `${field}.effort`, string);
  const summary = optional(settings.summary, `${field}.summary`, string);
  return { ...(effort !== undefined && { effort }), ...(summary !== undefined && { summary }) };
}

function textSettings(value: unknown, field: string): NonNullable<ModelRequest['text']> {
  const settings = object(value, field);
  const verbosity = optional(settings.verbosity, `${field}.verbosity`, string);
  const schema = optional(settings.format, `${field}.format`, readOutputFormat);
  return { ...(verbosity !== undefined && { verbosity }), ...(schema !== undefined && { schema }) };
}

function stringMap(value: unknown, field: string): Readonly<Record<string, string>> {
  for (const [name, entry] of Object.entries(object(value, field))) string(entry, `${field}.${name}`);
  return value as Record<string, string>;
}
