import type { JsonSchema } from '../../../../base/json-schema.ts';
import { repairJson } from '../../../arguments/repair-json.ts';
import { membersOf } from './json-parts.ts';

/** Repairs an object or a list like arguments. Undefined if the text is neither or was cut off. */
export function repairValue(text: string, schema?: JsonSchema): string | undefined {
  if (text.startsWith('{')) return repairJson(text, schema);
  if (!text.startsWith('[')) return undefined;
  // Arguments are an object, so the list becomes a member of one, which is closed like any other.
  const repaired = repairJson(`{"list":${text}`, schema === undefined ? undefined : { properties: { list: schema } });
  return repaired === undefined ? undefined : membersOf(repaired).get('list');
}
