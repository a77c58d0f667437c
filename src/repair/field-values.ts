import { isRecord } from '../base/json-schema.ts';
import type { Fields } from '../wire/fields/request-fields.ts';

/** Returns the fields of a value. A value that is not an object has no fields. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** Returns a text that is not empty, or undefined. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a text, and the empty text for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Reports whether a field is neither missing nor null. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Returns a value as JSON; undefined if it is nested deeper than can be written. */
export function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return undefined;
  }
}
