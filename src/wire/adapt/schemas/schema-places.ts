import { isRecord } from '../../../base/json-schema.ts';
import { editField, mapEntries, mapList } from '../../edit-fields.ts';
import type { Fields } from '../../request-fields.ts';
import { type AdaptWire, editHistory } from '../history.ts';

/** Whose schema it is: the name of a tool, or undefined for the answer of the model. */
export type SchemaEdit = (schema: unknown, tool: string | undefined) => unknown;

/** The request with its schemas edited; the same request where all stay the same. */
export function mapSchemas(wire: AdaptWire, body: Fields, edit: SchemaEdit): Fields {
  const tools = editField(body, 'tools', (list) => toolSchemas(list, edit));
  if (wire === 'chat') return editIn(tools, ['response_format', 'json_schema', 'schema'], edit);
  const history = editHistory(wire, tools, (items) => mapEntries(items, (item) => itemSchemas(item, edit)));
  return editIn(history, ['text', 'format', 'schema'], edit);
}

function toolSchemas(tools: unknown, edit: SchemaEdit, depth = 0): unknown {
  return mapList(tools, (tool) => {
    if (!isRecord(tool) || depth > MAX_DEPTH) return tool;
    const inner = editField(ownSchema(tool, edit), 'function', (value) =>
      isRecord(value) ? ownSchema(value, edit) : value,
    );
    return editField(inner, 'tools', (members) => toolSchemas(members, edit, depth + 1));
  });
}

const MAX_DEPTH = 4;

function ownSchema(holder: Fields, edit: SchemaEdit): Fields {
  const name = typeof holder.name === 'string' ? holder.name : '';
  return editField(holder, 'parameters', (schema) => edit(schema, name));
}

/** Items may bring tools with them. */
function itemSchemas(item: unknown, edit: SchemaEdit): unknown {
  return isRecord(item) ? editField(item, 'tools', (tools) => toolSchemas(tools, edit)) : item;
}

function editIn(record: Fields, path: readonly string[], edit: SchemaEdit): Fields {
  const [name = '', ...rest] = path;
  return editField(record, name, (value) => {
    if (rest.length === 0) return edit(value, undefined);
    return isRecord(value) ? editIn(value, rest, edit) : value;
  });
}
