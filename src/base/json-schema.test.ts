import { expect, expectTypeOf, test } from 'vitest';
import { type Infer, schemaFault } from './json-schema.ts';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    mode: { type: 'string', enum: ['a', 'b'] },
  },
  required: ['name'],
} as const;

test.each<[unknown, string | undefined]>([
  [{ name: 'x' }, undefined],
  [{ name: 'x', count: 3, tags: ['y'], mode: 'b', more: true }, undefined],
  [{ name: 'x', count: null }, undefined],
  [{}, 'missing field `name`'],
  [{ name: null }, 'missing field `name`'],
  [{ name: 5 }, 'invalid type for `name`: expected string, got number'],
  [{ name: 'x', count: 1.5 }, 'invalid type for `count`: expected integer, got number'],
  [{ name: 'x', tags: ['y', []] }, 'invalid type for `tags[1]`: expected string, got array'],
  [{ name: 'x', mode: 'c' }, 'invalid value for `mode`: expected one of `a`, `b`, got string'],
  [[], 'invalid type: expected object, got array'],
  ['x', 'invalid type: expected object, got string'],
])('%j: %s', (value, fault) => {
  expect(schemaFault(schema, value)).toBe(fault);
});

test('the type of a schema is what it accepts', () => {
  expectTypeOf<Infer<typeof schema>>().toExtend<{ name: string; count?: number; tags?: string[]; mode?: 'a' | 'b' }>();
});
