import type { Fields } from './request-fields.ts';

/** The record with another value in a field; the same record where it has that value. */
export function withField(record: Fields, name: string, value: unknown): Fields {
  return Object.hasOwn(record, name) && record[name] === value ? record : { ...record, [name]: value };
}

/** The record with a field's value mapped; the same record where it has no such field or keeps its value. */
export function editField(record: Fields, name: string, edit: (value: unknown) => unknown): Fields {
  return Object.hasOwn(record, name) ? withField(record, name, edit(record[name])) : record;
}

/** The record without some fields; the same record where it has none of them. */
export function withoutFields(record: Fields, names: readonly string[]): Fields {
  if (!names.some((name) => Object.hasOwn(record, name))) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** The entries mapped; the same list where all of them stay what they are. */
export function mapEntries(list: readonly unknown[], map: (entry: unknown) => unknown): readonly unknown[] {
  return sameOr(
    list,
    list.map((entry) => map(entry)),
  );
}

/** The same of a value that may be no list, and then stays what it is. */
export function mapList(value: unknown, map: (entry: unknown) => unknown): unknown {
  return Array.isArray(value) ? mapEntries(value, map) : value;
}

/** The first of two lists where the second holds the very same entries. */
export function sameOr<T>(list: readonly T[], other: readonly T[]): readonly T[] {
  return list.length === other.length && list.every((entry, i) => entry === other[i]) ? list : other;
}

/** The first of two records where the second holds the very same values. */
export function sameFieldsOr(record: Fields, other: Fields): Fields {
  const names = Object.keys(other);
  const isSame = names.length === Object.keys(record).length && names.every((name) => hasValue(record, other, name));
  return isSame ? record : other;
}

function hasValue(record: Fields, other: Fields, name: string): boolean {
  return Object.hasOwn(record, name) && record[name] === other[name];
}
