import { isRecord } from '../../base/json-schema.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { withField, withFields } from './edit-fields.ts';
import { isSet } from './lenient-fields.ts';
import { boolean, type FieldReader, type Fields, object, optional, string } from './request-fields.ts';

/**
 * Decodes a tool of a client's request. Its fields stand next to the type on one wire and below it on the other, and
 * clients mix the two forms. Tools that only servers know pass unchanged.
 */
export const decodeTool: FieldReader<ToolSpec> = (value, field) => {
  const tool = object(value, field);
  const type = isUntyped(tool) ? 'function' : string(tool.type, `${field}.type`);
  if (type !== 'function' && type !== 'custom') return tool as unknown as ToolSpec;
  const nested = tool[type];
  const spec = isRecord(nested) ? withField(nested, 'type', type) : tool;
  return READERS[type](spec, isRecord(nested) ? `${field}.${type}` : field);
};

/** Reports whether a tool is a function without a type, as some clients write it. */
export function isUntyped(tool: Fields): boolean {
  return !isSet(tool.type) && isRecord(tool.function);
}

const READERS: Readonly<Record<'function' | 'custom', (tool: Fields, field: string) => ToolSpec>> = {
  function(tool, field) {
    const { name, description } = named(tool, field);
    const strict = optional(tool.strict, `${field}.strict`, boolean) ?? false;
    const parameters = optional(tool.parameters, `${field}.parameters`, object) ?? {};
    return withFields(tool, { name, description, strict, parameters }) as unknown as ToolSpec;
  },
  custom: ({ format: written, ...tool }, field) => {
    const format = optional(written, `${field}.format`, object);
    return { ...tool, ...named(tool, field), ...(format !== undefined && { format: flatFormat(format) }) } as ToolSpec;
  },
};

function named(tool: Fields, field: string): { readonly name: string; readonly description: string } {
  return {
    name: string(tool.name, `${field}.name`),
    description: optional(tool.description, `${field}.description`, string) ?? '',
  };
}

/** Returns a format without the extra level that one of the wires has around a grammar. */
function flatFormat(format: Fields): Fields {
  return isRecord(format.grammar) ? { type: format.type, ...format.grammar } : format;
}
