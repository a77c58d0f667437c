import type { EncodeStreamOptions } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';

/** Returns a response without items as JSON text, with the texts of items, joined, in their place. */
export function responseText(empty: Fields, items: string): string {
  const text = JSON.stringify(empty);
  // No text before the field contains this: in a JSON string, a backslash stands before each quotation mark.
  const at = text.indexOf(EMPTY) + EMPTY.length - 1;
  return `${text.slice(0, at)}${items}${text.slice(at)}`;
}

const EMPTY = '"output":[]';

/**
 * Returns the object of a response, with all fields that clients check. It is built field by field: spreading another
 * object takes far longer.
 */
export function responseObject(id: string | undefined, status: string, options: EncodeStreamOptions): Fields {
  const { model, createdAt, repeated = {} } = options;
  const object: Record<string, unknown> = {
    id,
    object: 'response',
    created_at: createdAt,
    status,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    usage: null,
  };
  for (const name in repeated) if (!Object.hasOwn(object, name)) object[name] = repeated[name];
  return object;
}
