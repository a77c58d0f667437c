import { isRecord } from '../base/json-schema.ts';

type Table = Readonly<Record<string, unknown>>;

/** Returns a table without the value at a path. */
export function withoutKey(table: Table, [key = '', ...path]: readonly string[]): Table {
  if (!Object.hasOwn(table, key)) return table;
  const { [key]: value, ...rest } = table;
  if (path.length === 0) return rest;
  return { ...rest, [key]: isRecord(value) ? withoutKey(value, path) : value };
}
