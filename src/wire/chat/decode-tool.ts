import { isRecord } from '../../base/json-schema.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { boolean, type FieldReader, object, optional, string } from '../request-fields.ts';

/** A tool of a client's request. Some clients write its fields beside the type instead of below it. */
export const decodeTool: FieldReader<ToolSpec> = (value, field) => {
  const tool = object(value, field);
  const type = string(tool.type, `${field}.type`);
  if (type !== 'function' && type !== 'custom') return tool as unknown as ToolSpec;
  const nested = isRecord(tool[type]) ? tool[type] : undefined;
  const place = nested === undefined ? field : `${field}.${type}`;
  const fields = nested ?? tool;
  const name = string(fields.name, `${place}.name`);
  const description = optional(fields.description, `${place}.description`, string) ?? '';
  if (type === 'custom') {
    const format = optional(fields.format, `${place}.format`, object);
    return { type, name, description, ...(format !== undefined && { format: flatFormat(format) }) };
  }
  const strict = optional(fields.strict, `${place}.strict`, boolean) ?? false;
  const parameters = optional(fields.parameters, `${place}.parameters`, object) ?? {};
  return { type, name, description, strict, parameters };
};

/** A grammar has a level of its own here that the canonical form does not have. */
function flatFormat(format: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRecord(format.grammar) ? { type: format.type, ...format.grammar } : format;
}
