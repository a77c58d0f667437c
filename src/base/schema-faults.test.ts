import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from './json-schema.ts';
import { schemaFaults, withoutNulls } from './schema-faults.ts';

const faultsOf = (schema: JsonSchema, value: unknown) => schemaFaults(schema, value, { unknown: 'refused' });

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
    mode: { type: 'string', enum: ['a', 'b'] },
    nullable: { type: ['string', 'null'] },
    place: {
      type: 'object',
      properties: { x: { type: 'number' }, y: { type: 'number' } },
      required: ['x'],
      additionalProperties: false,
    },
  },
  required: ['name'],
};

describe('one fault', () => {
  test.each<[unknown, string | undefined]>([
    [{ name: 'x' }, undefined],
    [{ name: 'x', count: 3, tags: ['y'], mode: 'b', more: true, nullable: null }, undefined],
    [{ name: 'x', count: null, place: null }, undefined],
    [{}, 'missing field `name`'],
    [{ name: null }, 'missing field `name`'],
    [{ name: 5 }, 'invalid type for `name`: expected string, got number'],
    [{ name: 'x', count: 1.5 }, 'invalid type for `count`: expected integer, got number'],
    [{ name: 'x', count: '3' }, 'invalid type for `count`: expected integer, got string'],
    [{ name: 'x', tags: ['y', []] }, 'invalid type for `tags[1]`: expected string, got array'],
    [{ name: 'x', tags: ['y', null] }, 'invalid type for `tags[1]`: expected string, got null'],
    [{ name: 'x', mode: 'c' }, 'invalid value for `mode`: expected one of `a`, `b`, got `c`'],
    [{ name: 'x', mode: ['a'] }, 'invalid value for `mode`: expected one of `a`, `b`, got array'],
    [{ name: 'x', nullable: 1 }, 'invalid type for `nullable`: expected string or null, got number'],
    [{ name: 'x', place: { y: 1 } }, 'missing field `place.x`'],
    [{ name: 'x', place: { x: 1, z: 2 } }, 'unknown field `place.z`: expected one of `x`, `y`'],
    [[], 'invalid type: expected object, got array'],
    ['x', 'invalid type: expected object, got string'],
  ])('%j: %s', (value, fault) => {
    expect(faultsOf(SCHEMA, value)).toEqual(fault === undefined ? [] : [fault]);
  });

  test.each<[JsonSchema, unknown, string]>([
    [{ minimum: 1 }, 0, 'expected at least 1, got 0'],
    [{ maximum: 9 }, 10, 'expected at most 9, got 10'],
    [{ exclusiveMinimum: 0 }, 0, 'expected more than 0, got 0'],
    [{ exclusiveMaximum: 1 }, 1, 'expected less than 1, got 1'],
    [{ minLength: 1 }, '', 'expected at least 1 characters, got 0'],
    [{ maxLength: 2 }, 'abc', 'expected at most 2 characters, got 3'],
    [{ minItems: 1 }, [], 'expected at least 1 items, got 0'],
    [{ maxItems: 1 }, [1, 2], 'expected at most 1 items, got 2'],
    [{ pattern: '^a' }, 'b', 'expected a text that matches /^a/'],
    [{ const: 'go' }, 'stop', 'expected `go`, got `stop`'],
  ])('%j with %j', (schema, value, why) => {
    expect(faultsOf(schema, value)).toEqual([`invalid value: ${why}`]);
  });
});

describe('several forms', () => {
  const either: JsonSchema = {
    type: 'object',
    properties: {
      at: {
        anyOf: [
          { type: 'string' },
          { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] },
          { type: 'null' },
        ],
      },
    },
  };

  test.each<[unknown, readonly string[]]>([
    [{ at: 'here' }, []],
    [{ at: { line: 3 } }, []],
    [{ at: null }, []],
    [{ at: { line: 'x' } }, ['invalid type for `at.line`: expected integer, got string']],
    [{ at: 7 }, ['no form fits for `at`: expected string or object or null']],
  ])('%j: %j', (value, faults) => {
    expect(faultsOf(either, value)).toEqual(faults);
  });

  test('references within the document are followed, also in a circle', () => {
    const tree: JsonSchema = {
      $defs: {
        node: {
          type: 'object',
          properties: { name: { type: 'string' }, children: { items: { $ref: '#/$defs/node' } } },
        },
      },
      $ref: '#/$defs/node',
    };
    expect(faultsOf(tree, { name: 'a', children: [{ name: 'b', children: [{ name: 5 }] }] })).toEqual([
      'invalid type for `children[0].children[0].name`: expected string, got number',
    ]);
    expect(faultsOf({ $ref: '#' }, 1)).toEqual([]);
    expect(faultsOf({ properties: { a: { anyOf: [{ $ref: '#/properties/a' }] } } }, { a: null })).toEqual([]);
  });
});

test('only the first few faults are reported, and long values are cut', () => {
  const list = { type: 'array', items: { enum: ['a'] } };
  expect(faultsOf(list, Array(1000).fill('b'))).toHaveLength(4);
  const [fault] = faultsOf(list, ['x'.repeat(5000)]);
  expect(fault?.length).toBeLessThan(150);
});

test('unknown fields are ignored on request', () => {
  expect(schemaFaults(SCHEMA, { name: 'x', place: { x: 1, z: 2 } }, { unknown: 'ignored' })).toEqual([]);
});

test('optional fields that are null are dropped at any depth, unless the schema allows null', () => {
  const value = { name: 'x', count: null, nullable: null, place: { x: 1, y: null }, other: null };
  expect(withoutNulls(SCHEMA, value)).toEqual({ name: 'x', nullable: null, place: { x: 1 }, other: null });
});

test('the alternative that a value fits says which of its nulls are dropped', () => {
  const circle = { type: 'object', properties: { n: { type: 'number' }, next: { $ref: '#' } } };
  const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  expect(withoutNulls({ anyOf: [named, circle] }, { n: null, name: null })).toEqual({ name: null });
  expect(withoutNulls({ oneOf: [circle, named] }, { next: { n: null, next: null } })).toEqual({ next: {} });
  expect(withoutNulls({ anyOf: [{ $ref: '#' }] }, { n: null })).toEqual({ n: null });
});

test('any schema and any value give a result, the same each time', () => {
  const leaf = fc.record(
    {
      type: fc.constantFrom('string', 'number', 'object', 'array', 'null', 'odd'),
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
      minimum: fc.integer(),
      $ref: fc.constantFrom('#', '#/properties/a', '#/anyOf/0', '#/nowhere', 'elsewhere'),
    },
    { requiredKeys: [] },
  );
  const node = (inner: fc.Arbitrary<object>) =>
    fc.record(
      {
        type: fc.constantFrom('object', 'array'),
        required: fc.array(fc.constantFrom('a', 'b')),
        properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), inner, { maxKeys: 2 }),
        items: inner,
        anyOf: fc.array(inner, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
  const schema = node(fc.oneof(leaf, node(fc.oneof(leaf, node(leaf)))));
  const field = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue()));
  fc.assert(
    fc.property(schema as fc.Arbitrary<JsonSchema>, field, (given, value) => {
      const faults = faultsOf(given, value);
      expect(faultsOf(given, value)).toEqual(faults);
      withoutNulls(given, value);
    }),
  );
});
