import { isRecord } from '../../base/json-schema.ts';
import { editField, mapList, sameFieldsOr } from '../../wire/fields/edit-fields.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';

/** Edits every schema inside a schema, outer ones first. Returns the same schema if nothing changes. */
export function mapSchema(schema: unknown, edit: (node: Fields) => Fields, depth = 0): unknown {
  if (!isRecord(schema) || depth > MAX_SCHEMA_DEPTH) return schema;
  let node = edit(schema);
  const inner = (value: unknown) => mapSchema(value, edit, depth + 1);
  for (const name of IN_FIELDS) node = editField(node, name, inner);
  for (const name of IN_LISTS) node = editField(node, name, (list) => mapList(list, inner));
  for (const name of IN_MAPS) node = editField(node, name, (map) => mapValues(map, inner));
  return node;
}

/** Depth limit, deeper than any server compiles. */
export const MAX_SCHEMA_DEPTH = 64;

const IN_FIELDS = [
  ...['items', 'additionalProperties', 'additionalItems', 'not', 'contains', 'propertyNames'],
  ...['if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties'],
];
const IN_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'];
const IN_MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** Maps the values of a record. Returns the same value if nothing changes or if it is not a record. */
export function mapValues(map: unknown, edit: (value: unknown) => unknown): unknown {
  if (!isRecord(map)) return map;
  return sameFieldsOr(map, Object.fromEntries(Object.entries(map).map(([name, value]) => [name, edit(value)])));
}
