import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest, OutputSchema, ToolChoice } from '../../base/model.ts';
import { boolean, type FieldReader, listOf, object, optional, string, wrong } from '../request-fields.ts';
import { decodeMessages } from './decode-messages.ts';
import { decodeTool } from './decode-tool.ts';

/** A parsed body as a request. Fields that a request has no place for are passed over. */
export function decodeRequest(body: unknown): ModelRequest {
  if (!isRecord(body)) throw new UserError('The body of the request must be a JSON object.');
  const { instructions, input } = decodeMessages(body.messages);
  const effort = optional(body.reasoning_effort, 'reasoning_effort', string);
  const cacheKey = optional(body.prompt_cache_key, 'prompt_cache_key', string);
  const verbosity = optional(body.verbosity, 'verbosity', string);
  const schema = optional(body.response_format, 'response_format', outputSchema);
  const text = { ...(verbosity !== undefined && { verbosity }), ...(schema !== undefined && { schema }) };
  return {
    model: string(body.model, 'model'),
    instructions,
    input,
    tools: optional(body.tools, 'tools', listOf(decodeTool)) ?? [],
    toolChoice: optional(body.tool_choice, 'tool_choice', toolChoice) ?? 'auto',
    parallelToolCalls: optional(body.parallel_tool_calls, 'parallel_tool_calls', boolean) ?? true,
    reasoning: effort === undefined ? {} : { effort },
    ...(Object.keys(text).length > 0 && { text }),
    store: optional(body.store, 'store', boolean) ?? false,
    include: [],
    ...(cacheKey !== undefined && { cacheKey }),
  };
}

const toolChoice: FieldReader<ToolChoice> = (value, field) => {
  if (value === 'auto' || value === 'none' || value === 'required') return value;
  const { type, ...forms } = isRecord(value) ? value : {};
  if (type !== 'function' && type !== 'custom') {
    throw wrong(field, '"auto", "none", "required" or an object that names a function or a custom tool');
  }
  const { name } = object(forms[type], `${field}.${type}`);
  return { type, name: string(name, `${field}.${type}.name`) };
};

/** Any object at all, for clients that ask for JSON without saying which. */
const ANY_OBJECT: OutputSchema = { name: 'json_object', strict: false, schema: { type: 'object' } };

const outputSchema: FieldReader<OutputSchema | undefined> = (value, field) => {
  const format = object(value, field);
  if (format.type === 'text') return undefined;
  if (format.type === 'json_object') return ANY_OBJECT;
  if (format.type !== 'json_schema') throw wrong(field, 'of type "text", "json_object" or "json_schema"');
  const { name, strict, schema } = object(format.json_schema, `${field}.json_schema`);
  return {
    name: string(name, `${field}.json_schema.name`),
    strict: optional(strict, `${field}.json_schema.strict`, boolean) ?? false,
    schema,
  };
};
