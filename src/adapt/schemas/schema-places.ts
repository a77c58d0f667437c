import { isRecord } from '../../base/json-schema.ts';
import { editField, mapList } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/** Edit of a schema. `tool` is the name of its tool; undefined for the schema of the answer. */
export type SchemaEdit = (schema: unknown, tool: string | undefined) => unknown;

/** Returns a list of tools of any wire with their schemas edited, including tools in namespaces. */
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
  const editOne = (schema: unknown) => edit(schema, name);
  return editField(editField(holder, 'parameters', editOne), 'input_schema', editOne);
}

/** Returns the record with the answer schema at a path edited. */
export function editAnswerSchema(record: Fields, path: readonly string[], edit: SchemaEdit): Fields {
  const [name = '', ...rest] = path;
  return editField(record, name, (value) => {
    if (rest.length === 0) return edit(value, undefined);
    return isRecord(value) ? editAnswerSchema(value, rest, edit) : value;
  });
}
