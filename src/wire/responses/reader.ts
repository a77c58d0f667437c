import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../fields/request-fields.ts';

/** Reader of a value from outside. Returns undefined if the value is missing or invalid. */
export type Reader = (value: unknown, owner: Fields) => unknown;

export const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
export const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
export const asItCame: Reader = (value) => value;

export function oneOf(...values: readonly string[]): Reader {
  return (value) => (values.some((known) => known === value) ? value : undefined);
}

/** Reads a list of texts. */
export const texts: Reader = (value) =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined;

/** Reads an object whose values are all texts. */
export const textMap: Reader = (value) =>
  isRecord(value) && Object.values(value).every((entry) => typeof entry === 'string') ? value : undefined;

/**
 * Returns a reader of objects that keeps only the fields of a shape. A name that ends in `?` may be missing. Fields
 * keep their order, so that an object that needs no change has the same serialisation.
 */
export function object(shape: Readonly<Record<string, Reader>>): Reader {
  const fields = new Map(Object.entries(shape).map(([name, read]) => [name.replace('?', ''), read]));
  const optional = new Set(Object.keys(shape).flatMap((name) => (name.endsWith('?') ? [name.slice(0, -1)] : [])));
  return (value) => {
    if (!isRecord(value)) return undefined;
    const result: Record<string, unknown> = {};
    const read = (name: string, reader: Reader): boolean => {
      const field = reader(value[name], value);
      if (field !== undefined) result[name] = field;
      return field !== undefined || optional.has(name);
    };
    for (const name of Object.keys(value)) {
      const reader = fields.get(name);
      if (reader !== undefined && !read(name, reader)) return undefined;
    }
    for (const [name, reader] of fields) if (!Object.hasOwn(value, name) && !read(name, reader)) return undefined;
    return result;
  };
}

/** Returns a reader that is chosen by the `type` of the object; undefined for types that are not in the table. */
export function union(readers: Readonly<Record<string, Reader>>): Reader {
  const table = new Map(Object.entries(readers));
  return (value, owner) => {
    const type = isRecord(value) ? value.type : undefined;
    return typeof type === 'string' ? table.get(type)?.(value, owner) : undefined;
  };
}

/** Returns the entries of a list that the reader accepts. */
export function known(list: readonly unknown[], read: Reader): unknown[] {
  return list.map((entry) => read(entry, {})).filter((entry) => entry !== undefined);
}
