import type { JsonSchema } from '../../../../../base/json-schema.ts';
import { mendJson } from '../../../arguments/mend-json.ts';
import { membersOf } from './json-parts.ts';

/** An object or a list mended as arguments are. Undefined if it is neither or was cut off. */
export function mendValue(text: string, schema?: JsonSchema): string | undefined {
  if (text.startsWith('{')) return mendJson(text, schema);
  if (!text.startsWith('[')) return undefined;
  // Arguments are an object, so the list becomes a member of one, which is closed like any other.
  const mended = mendJson(`{"list":${text}`, schema === undefined ? undefined : { properties: { list: schema } });
  return mended === undefined ? undefined : membersOf(mended).get('list');
}
