import type { SchemaLimit } from '../../base/wire.ts';
import { withoutFields } from '../../wire/fields/edit-fields.ts';
import type { AdaptId } from '../adapt-change.ts';
import { mapSchema } from '../schemas/map-schema.ts';
import { plainSchema } from '../schemas/plain-schema.ts';
import { foldBranches, typedBranches } from '../schemas/typed-branches.ts';
import type { AdaptStep } from './step.ts';

interface Limit {
  readonly limit: SchemaLimit;
  readonly id: AdaptId;
  /** Short description of the result. */
  readonly after: string;
  edit(schema: unknown, isParameters: boolean): unknown;
}

/** Limits in the order of application: the plain form of a schema may have new branches. */
const LIMITS: readonly Limit[] = [
  { limit: 'plain', id: 'G10', after: 'basic keywords only', edit: plainSchema },
  {
    limit: 'typed_branches',
    id: 'G9',
    after: 'types inside the branches',
    edit: (schema, isParameters) => typedBranches(isParameters ? foldBranches(schema) : schema),
  },
  { limit: 'no_patterns', id: 'G11', after: 'no patterns and formats', edit: noPatterns },
];

/** G9, G10, G11: schemas of tools and answers are reduced to the parts that the server can read. */
export const limitSchemas: AdaptStep = {
  isOn: ({ schemas }) => schemas.length > 0,
  apply(body, { rules, compat, report }) {
    let adapted = body;
    for (const { limit, id, after, edit } of LIMITS) {
      if (!compat.schemas.includes(limit)) continue;
      const changed = new Set<string>();
      adapted = rules.mapSchemas(adapted, (schema, tool) => {
        const edited = edit(schema, tool !== undefined);
        if (edited !== schema) changed.add(tool ?? 'the answer');
        return edited;
      });
      if (changed.size > 0) report(id, `schemas of ${[...changed].join(', ')}`, after);
    }
    return adapted;
  },
};

/** Removes patterns and formats. A property named `pattern` or `format` is kept. */
function noPatterns(schema: unknown): unknown {
  return mapSchema(schema, (node) => withoutFields(node, ['pattern', 'format']));
}
