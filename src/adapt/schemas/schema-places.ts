import { isRecord } from '../../base/json-schema.ts';
import { editField, mapList } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/** Whose schema it is: the name of a tool, or undefined for the answer of the model. */
export type SchemaEdit = (schema: unknown, tool: string | undefined) => unknown;

/** Returns a list of tools, of any wire, with their schemas edited; a namespace may hold further ones. */
export function editToolSchemas(tools: unknown, edit: SchemaEdit, depth = 0): unknown {
  return mapList(tools, (tool) => {
    if (!isRecord(tool) || depth > MAX_DEPTH) return tool;
    const inner = editField(ownSchema(tool, edit), 'function', (value) =>
      isRecord(value) ? ownSchema(value, edit) : value,
    );
    return editField(inner, 'tools', (members) => editToolSchemas(members, edit, depth + 1));
  });
}

const MAX_DEPTH = 4;

function ownSchema(holder: Fields, edit: SchemaEdit): Fields {
  const name = typeof holder.name === 'string' ? holder.name : '';
  return editField(holder, 'parameters', (schema) => edit(schema, name));
}

/** Returns the record with the schema at a path edited; it is that of the answer. */
export function editAnswerSchema(record: Fields, path: readonly string[], edit: SchemaEdit): Fields {
  const [name = '', ...rest] = path;
  return editField(record, name, (value) => {
    if (rest.length === 0) return edit(value, undefined);
    return isRecord(value) ? editAnswerSchema(value, rest, edit) : value;
  });
}
