import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from './request-fields.ts';

// Readers of values from servers and models. They never throw: a value of the wrong kind counts as absent.

/** Returns the fields of an object; no fields for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** Returns a text that is not empty; undefined for any other value. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Reports whether a field is present. Null counts as absent. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
