import type { EncodeStreamOptions } from '../../base/wire.ts';
import type { Fields } from '../fields/request-fields.ts';

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
