import type { Fields } from './request-fields.ts';

/** Returns the record with a field set; the same record if the field has that value. */
export function withField(record: Fields, name: string, value: unknown): Fields {
  if (Object.hasOwn(record, name) && record[name] === value) return record;
  const edited = copyOf(record);
  edited[name] = value;
  return edited;
}

/** Returns the record with these fields set. */
export function withFields(record: Fields, fields: Fields): Fields {
  return Object.assign(copyOf(record), fields);
}

/** Returns a copy. V8 makes a hidden class for each object that is copied by a spread and then extended. */
function copyOf(record: Fields): Record<string, unknown> {
  // Assigning this field would set a prototype instead.
  return Object.hasOwn(record, '__proto__') ? { ...record } : Object.assign({}, record);
}

/** Returns the record with the value of a field mapped; the same record if the field is absent or keeps its value. */
export function editField(record: Fields, name: string, edit: (value: unknown) => unknown): Fields {
  return Object.hasOwn(record, name) ? withField(record, name, edit(record[name])) : record;
}

/** Returns the record without some fields; the same record if it has none of them. */
export function withoutFields(record: Fields, names: readonly string[]): Fields {
  if (!names.some((name) => Object.hasOwn(record, name))) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** Returns the list with its entries mapped; the same list if no entry changes. */
export function mapEntries(list: readonly unknown[], map: (entry: unknown) => unknown): readonly unknown[] {
  return sameOr(
    list,
    list.map((entry) => map(entry)),
  );
}

/** Maps the entries of a list. Any other value is returned unchanged. */
export function mapList(value: unknown, map: (entry: unknown) => unknown): unknown {
  return Array.isArray(value) ? mapEntries(value, map) : value;
}

/** Returns `list` if both lists hold the same entries, else `other`. */
export function sameOr<T>(list: readonly T[], other: readonly T[]): readonly T[] {
  return list.length === other.length && list.every((entry, i) => entry === other[i]) ? list : other;
}

/** Returns `record` if both records hold the same values, else `other`. */
export function sameFieldsOr(record: Fields, other: Fields): Fields {
  const names = Object.keys(other);
  const isSame = names.length === Object.keys(record).length && names.every((name) => hasValue(record, other, name));
  return isSame ? record : other;
}

function hasValue(record: Fields, other: Fields, name: string): boolean {
  return Object.hasOwn(record, name) && record[name] === other[name];
}
