import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../fields/request-fields.ts';

/**
 * Returns the form of a custom call; undefined for a call of a function. A server that writes out all fields of a struct
 * adds an empty custom form to the call of a function.
 */
export function customForm({ custom, function: other }: Fields): Fields | undefined {
  if (!isRecord(custom)) return undefined;
  return isRecord(other) && !custom.name && !custom.input ? undefined : custom;
}
