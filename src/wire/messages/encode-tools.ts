import type { JsonSchema } from '../../base/json-schema.ts';
import type { ToolSpec } from '../../base/tool.ts';
import { fieldsOf } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { type DeclaredTool, declaredTools, undeclaredParts } from '../lowering/declared-tools.ts';
import { functionParts } from '../lowering/function-parts.ts';

const texts = new WeakMap<readonly ToolSpec[], string>();

/** Encodes the `tools` of a request as JSON text; empty if this wire can carry none of the tools. */
export function encodeTools(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return '';
  let text = texts.get(tools);
  if (text === undefined) {
    const functions = Array.from(declaredTools(tools), ([name, tool]) => functionTool(name, tool));
    const all = [...functions, ...tools.filter(isSearch).slice(0, 1).map(searchTool)];
    text = all.length === 0 ? '' : JSON.stringify(all);
    texts.set(tools, text);
  }
  return text;
}

/** Returns the tools that this wire cannot express, each once. */
export function unsentTools(tools: readonly ToolSpec[]): readonly string[] {
  return [...new Set(tools.filter((tool) => !isSearch(tool)).flatMap(undeclaredParts))];
}

function functionTool(name: string, tool: DeclaredTool): object {
  const { description, strict, parameters } = functionParts(tool);
  return {
    name,
    ...(description !== '' && { description }),
    input_schema: objectSchema(parameters),
    ...(strict && { strict }),
  };
}

/** Returns the schema of an object. Servers require the type, which a function without parameters may lack. */
function objectSchema(schema: JsonSchema): Fields {
  const fields = fieldsOf(schema);
  return fields.type === undefined ? { type: 'object', ...fields } : fields;
}

/** Reports whether a tool is the search of a server. Searching without access to the web has no form on this wire. */
function isSearch(tool: ToolSpec): boolean {
  return tool.type === 'web_search' && tool.external_web_access !== false;
}

/** Returns the search in the version that most servers and models know. */
function searchTool({ filters, user_location }: Fields): object {
  const { allowed_domains } = fieldsOf(filters);
  return { type: 'web_search_20250305', name: 'web_search', allowed_domains, user_location };
}
