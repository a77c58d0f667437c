import type { ToolSpec } from '../../base/tool.ts';
import { decodeTool as decodeOther } from '../fields/decode-tool.ts';
import { fieldsOf, isSet } from '../fields/lenient-fields.ts';
import { boolean, type FieldReader, type Fields, object, optional, string } from '../fields/request-fields.ts';

/**
 * Decodes a tool of a client's request. On this wire, the type of a client's own tool is absent or `custom`, and its
 * arguments have a schema. All other types are tools that servers or models know by name: they pass unchanged, except
 * for the search, which other wires have too.
 */
export const decodeTool: FieldReader<ToolSpec> = (value, field) => {
  const tool = object(value, field);
  if (tool.type === 'function' || isSet(tool.function)) return decodeOther(tool, field);
  const type = optional(tool.type, `${field}.type`, string) ?? 'custom';
  if (type === 'custom') return functionSpec(tool, field);
  return SEARCH.test(type) ? searchSpec(tool) : (tool as unknown as ToolSpec);
};

/** The versions of the search end in a date. */
const SEARCH = /^web_search_\d+$/;

function functionSpec(tool: Fields, field: string): ToolSpec {
  return {
    type: 'function',
    name: string(tool.name, `${field}.name`),
    description: optional(tool.description, `${field}.description`, string) ?? '',
    strict: optional(tool.strict, `${field}.strict`, boolean) ?? false,
    parameters: optional(tool.input_schema, `${field}.input_schema`, object) ?? {},
  };
}

function searchSpec({ allowed_domains, user_location }: Fields): ToolSpec {
  return {
    type: 'web_search',
    ...(Array.isArray(allowed_domains) && allowed_domains.length > 0 && { filters: { allowed_domains } }),
    ...(Object.keys(fieldsOf(user_location)).length > 0 && { user_location }),
  };
}
