import { withoutFields } from '../../wire/fields/edit-fields.ts';
import { mapSchema } from './map-schema.ts';

/** G11: no pattern and no format. A property of such a name is none. */
export function noPatterns(schema: unknown): unknown {
  return mapSchema(schema, (node) => withoutFields(node, ['pattern', 'format']));
}
