import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest, OutputSchema, Sampling } from '../../base/model.ts';
import { decodeTool } from '../fields/decode-tool.ts';
import { ANY_OBJECT } from '../fields/output-format.ts';
import { type FieldReader, type Fields, listOf, object, optional, string, wrong } from '../fields/request-fields.ts';
import { readSampling } from '../fields/sampling-fields.ts';
import { decodeMessages } from './decode-messages.ts';
import { SAMPLING_NAMES } from './sampling-names.ts';

/** Decodes a parsed body. Fields that a `ModelRequest` does not have are ignored, such as `keep_alive`. */
export function decodeRequest(body: unknown): ModelRequest {
  const fields = bodyFields(body);
  const tools = optional(fields.tools, 'tools', listOf(decodeTool)) ?? [];
  const { instructions, input } = decodeMessages(fields.messages);
  if (instructions === '' && input.length === 0) throw wrong('messages', `a list of messages. ${ONLY_LOADS}`);
  return requestOf(fields, { instructions, input, tools });
}

/** Says why a request without a text is refused. */
export const ONLY_LOADS = 'The server of this model cannot load it before the first request';

export function bodyFields(body: unknown): Fields {
  if (isRecord(body)) return body;
  throw new UserError('invalid_input', 'The body of the request must be a JSON object.');
}

/** Returns a request with the fields that the two forms of requests share. */
export function requestOf(body: Fields, said: Pick<ModelRequest, 'instructions' | 'input' | 'tools'>): ModelRequest {
  const effort = optional(body.think, 'think', readEffort);
  const schema = optional(body.format, 'format', readFormat);
  const sampling = readOptions(optional(body.options, 'options', object) ?? {});
  return {
    model: string(body.model, 'model'),
    ...said,
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: effort === undefined ? {} : { effort },
    ...(schema !== undefined && { text: { schema } }),
    store: false,
    include: [],
    ...(sampling !== undefined && { sampling }),
  };
}

/** Reads an effort. A client that only wants the model to think gets a middle effort: other wires need one. */
const readEffort: FieldReader<string> = (value, field) => {
  if (typeof value === 'boolean') return value ? 'medium' : 'none';
  if (typeof value !== 'string' || value === '') throw wrong(field, 'true, false, "low", "medium" or "high"');
  return value;
};

const readFormat: FieldReader<OutputSchema | undefined> = (value, field) => {
  if (value === '') return undefined;
  if (value === 'json') return ANY_OBJECT;
  if (!isRecord(value)) throw wrong(field, '"json" or a JSON schema');
  return { name: 'answer', strict: false, schema: value };
};

/** Reads the options. A negative number of tokens means that there is no limit. */
function readOptions(options: Fields): Sampling | undefined {
  const { sampling } = readSampling(options, SAMPLING_NAMES);
  if (sampling?.maxOutputTokens === undefined || sampling.maxOutputTokens >= 0) return sampling;
  const { maxOutputTokens: _, ...others } = sampling;
  return Object.keys(others).length === 0 ? undefined : others;
}
