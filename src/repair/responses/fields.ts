import { isRecord } from '../../base/json-schema.ts';

/** An event, an item, a part: whatever the server sent as an object. */
export type Fields = Readonly<Record<string, unknown>>;

/** The fields of a value; none of something that is no object. */
export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

/** A text that says something, or undefined. */
export function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}
