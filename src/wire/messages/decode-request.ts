import { UserError } from '../../base/errors.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest, OutputSchema, Sampling } from '../../base/model.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import { type ChosenTools, readToolChoice } from '../fields/read-tool-choice.ts';
import { type FieldReader, type Fields, listOf, object, optional, string, wrong } from '../fields/request-fields.ts';
import { readSampling } from '../fields/sampling-fields.ts';
import { assertWhole } from './assert-whole.ts';
import { decodeMessages } from './decode-messages.ts';
import { decodeTool } from './decode-tool.ts';
import { SAMPLING_NAMES } from './sampling-names.ts';
import { readThinking } from './thinking-fields.ts';

/** Decodes a parsed body. Fields that a `ModelRequest` does not have are ignored. */
export function decodeRequest(body: unknown): ModelRequest {
  if (!isRecord(body)) throw new UserError('invalid_input', 'The body of the request must be a JSON object.');
  assertWhole(body);
  const { instructions, input, failed } = decodeMessages(body);
  const schema = outputSchema(body);
  const sampling = samplingOf(body);
  const choice = optional(body.tool_choice, 'tool_choice', object) ?? {};
  return {
    model: string(body.model, 'model'),
    instructions,
    input,
    ...(failed.size > 0 && { failedCalls: failed }),
    ...chosenTools(choice, body.tools),
    parallelToolCalls: choice.disable_parallel_tool_use !== true,
    ...readThinking(body),
    ...(schema !== undefined && { text: { schema } }),
    store: false,
    ...(sampling !== undefined && { sampling }),
  };
}

function chosenTools(choice: Fields, given: unknown): ChosenTools {
  const tools = optional(given, 'tools', listOf(decodeTool)) ?? [];
  const type = optional(choice.type, 'tool_choice.type', string) ?? 'auto';
  if (type !== 'tool') return readToolChoice(type, tools);
  const { name } = choice;
  const at = Array.isArray(given) ? given.findIndex((tool) => fieldsOf(tool).name === name) : -1;
  const chosen = tools[at]?.type ?? 'function';
  if (chosen === 'function') return readToolChoice({ type: 'function', name }, tools);
  // No other wire can name a tool of the server in this place.
  return { toolChoice: tools.length === 1 ? 'required' : 'auto', tools };
}

/** Reads the format of the answer. Older clients write it next to the configuration of the output. */
function outputSchema({ output_config, output_format }: Fields): OutputSchema | undefined {
  const config = optional(output_config, 'output_config', object);
  return (
    optional(config?.format, 'output_config.format', jsonSchema) ?? optional(output_format, 'output_format', jsonSchema)
  );
}

const jsonSchema: FieldReader<OutputSchema> = (value, field) => {
  const { type, schema } = object(value, field);
  if (type !== 'json_schema') throw wrong(`${field}.type`, '"json_schema"');
  return { name: 'answer', strict: true, schema: object(schema, `${field}.schema`) };
};

function samplingOf(body: Fields): Sampling | undefined {
  const { sampling } = readSampling(body, SAMPLING_NAMES);
  const tier = optional(body.service_tier, 'service_tier', string);
  const user = optional(optional(body.metadata, 'metadata', object)?.user_id, 'metadata.user_id', string);
  const own = {
    ...(tier !== undefined && { serviceTier: tier === 'standard_only' ? 'default' : tier }),
    // Servers of other wires refuse a longer name.
    ...(user !== undefined && user.length <= MAX_USER_CHARS && { user }),
  };
  return sampling === undefined && Object.keys(own).length === 0 ? undefined : { ...sampling, ...own };
}

const MAX_USER_CHARS = 64;
