import { expectTypeOf, test } from 'vitest';
import type { Infer } from './json-schema.ts';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    mode: { type: 'string', enum: ['a', 'b'] },
    place: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    note: { type: ['string', 'null'] },
    either: { anyOf: [{ type: 'boolean' }, { const: 'auto' }] },
    loose: { type: 'object' },
  },
  required: ['name', 'note'],
} as const;

test('the type of a schema is that of the values it accepts', () => {
  expectTypeOf<Infer<typeof schema>>().toExtend<{
    name: string;
    note: string | null;
    count?: number;
    tags?: string[];
    mode?: 'a' | 'b';
    place?: { x: number };
    either?: boolean | 'auto';
    loose?: Record<string, unknown>;
  }>();
  expectTypeOf<Infer<typeof schema>['either']>().toEqualTypeOf<boolean | 'auto' | undefined>();
  expectTypeOf<Infer<{ description: 'anything' }>>().toBeUnknown();
});
