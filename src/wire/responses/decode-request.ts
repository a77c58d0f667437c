import { UserError } from '../../base/errors.ts';
import type { Item } from '../../base/item.ts';
import { isRecord } from '../../base/json-schema.ts';
import type { ModelRequest, ToolChoice } from '../../base/model.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { boolean, listOf, object, optional, string, wrong } from '../request-fields.ts';
import { canonicalItem, canonicalType } from './canonical-item.ts';

/** A parsed body as a request. Fields that a request has no place for are passed over. */
export function decodeRequest(body: unknown): ModelRequest {
  if (!isRecord(body)) throw new UserError('The body of the request must be a JSON object.');
  const cacheKey = optional(body.prompt_cache_key, 'prompt_cache_key', string);
  const text = optional(body.text, 'text', textSettings);
  const metadata = optional(body.client_metadata, 'client_metadata', stringMap);
  return {
    model: string(body.model, 'model'),
    instructions: optional(body.instructions, 'instructions', string) ?? '',
    input: input(body.input),
    tools: optional(body.tools, 'tools', tools) ?? [],
    toolChoice: optional(body.tool_choice, 'tool_choice', toolChoice) ?? 'auto',
    parallelToolCalls: optional(body.parallel_tool_calls, 'parallel_tool_calls', boolean) ?? true,
    reasoning: optional(body.reasoning, 'reasoning', reasoning) ?? {},
    ...(text !== undefined && Object.keys(text).length > 0 && { text }),
    store: optional(body.store, 'store', boolean) ?? true,
    include: optional(body.include, 'include', stringList) ?? [],
    ...(cacheKey !== undefined && { cacheKey }),
    ...(metadata !== undefined && { metadata }),
  };
}

function input(value: unknown): readonly Item[] {
  if (typeof value === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: value }] }];
  }
  if (!Array.isArray(value)) throw wrong('input', 'a string or an array of items');
  return value.flatMap((item: unknown, i) => inputItem(item, `input[${i}]`));
}

/** Empty for types that only newer clients know: an item that nobody understands is no reason to refuse the rest. */
function inputItem(value: unknown, field: string): readonly Item[] {
  if (!isRecord(value)) throw wrong(field, 'an object');
  const type = canonicalType(value);
  if (type === undefined && typeof value.type === 'string') return [];
  if (type === undefined) throw wrong(`${field}.type`, 'a string');
  const item = canonicalItem(value);
  if (item === undefined) throw wrong(field, `a complete item of type "${type}"`);
  return [item];
}

function tools(value: unknown, field: string): readonly ToolSpec[] {
  if (!Array.isArray(value)) throw wrong(field, 'an array');
  return value.map((tool: unknown, i) => toolSpec(tool, `${field}[${i}]`));
}

/** What a client may leave out of a tool, but a `ToolSpec` has. */
const TOOL_DEFAULTS: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map([
  ['function', { description: '', strict: false, parameters: {} }],
  ['custom', { description: '' }],
]);

function toolSpec(value: unknown, field: string): ToolSpec {
  if (!isRecord(value)) throw wrong(field, 'an object');
  const defaults = TOOL_DEFAULTS.get(string(value.type, `${field}.type`));
  if (defaults === undefined) return value as unknown as ToolSpec;
  string(value.name, `${field}.name`);
  const missing = Object.entries(defaults).filter(([name]) => (value[name] ?? undefined) === undefined);
  return { ...value, ...Object.fromEntries(missing) } as unknown as ToolSpec;
}

function toolChoice(value: unknown, field: string): ToolChoice {
  if (value === 'auto' || value === 'none' || value === 'required') return value;
  if (isRecord(value) && (value.type === 'function' || value.type === 'custom')) {
    return { type: value.type, name: string(value.name, `${field}.name`) };
  }
  throw wrong(field, '"auto", "none", "required" or an object that names a function or a custom tool');
}

function reasoning(value: unknown, field: string): ModelRequest['reasoning'] {
  if (!isRecord(value)) throw wrong(field, 'an object');
  const effort = optional(value.effort, `${field}.effort`, string);
  const summary = optional(value.summary, `${field}.summary`, string);
  return { ...(effort !== undefined && { effort }), ...(summary !== undefined && { summary }) };
}

function textSettings(value: unknown, field: string): NonNullable<ModelRequest['text']> {
  if (!isRecord(value)) throw wrong(field, 'an object');
  const verbosity = optional(value.verbosity, `${field}.verbosity`, string);
  const schema = optional(value.format, `${field}.format`, outputSchema);
  return { ...(verbosity !== undefined && { verbosity }), ...(schema !== undefined && { schema }) };
}

function outputSchema(value: unknown, field: string): NonNullable<ModelRequest['text']>['schema'] | undefined {
  if (isRecord(value) && value.type === 'text') return undefined;
  if (!isRecord(value) || value.type !== 'json_schema') throw wrong(field, 'of type "text" or "json_schema"');
  return {
    name: string(value.name, `${field}.name`),
    strict: optional(value.strict, `${field}.strict`, boolean) ?? false,
    schema: value.schema,
  };
}

const stringList = listOf(string);

function stringMap(value: unknown, field: string): Readonly<Record<string, string>> {
  for (const [name, entry] of Object.entries(object(value, field))) string(entry, `${field}.${name}`);
  return value as Record<string, string>;
}
