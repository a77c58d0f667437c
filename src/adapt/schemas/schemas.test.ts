import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import type { SchemaLimit } from '../../base/wire.ts';
import { adapted } from '../fixtures/adapted.ts';
import { schema as anySchema } from '../fixtures/arbitrary-request.ts';

/** Returns the limited schema of a property. */
function property(limit: SchemaLimit, schema: unknown): unknown {
  const parameters = { type: 'object', properties: { p: schema } };
  const body = limited(limit, parameters) as { properties: { p: unknown } };
  return body.properties.p;
}

function limited(limit: SchemaLimit, parameters: unknown): unknown {
  const tools = [{ type: 'function', function: { name: 'f', parameters } }];
  const { body } = adapted('chat', { tools }, { schemas: [limit] });
  return (body.tools as typeof tools)[0]?.function.parameters;
}

describe('G9, types next to branches', () => {
  test('move into the branches that have no type', () => {
    expect(
      property('typed_branches', {
        type: 'array',
        description: 'd',
        anyOf: [{ maxItems: 0 }, { type: 'null' }, { $ref: '#/$defs/x' }, { anyOf: [{ minItems: 2 }, true] }],
      }),
    ).toEqual({
      description: 'd',
      anyOf: [
        { type: 'array', maxItems: 0 },
        { type: 'null' },
        { $ref: '#/$defs/x' },
        { anyOf: [{ type: 'array', minItems: 2 }, true] },
      ],
    });
    expect(
      property('typed_branches', { type: ['string', 'boolean'], oneOf: [{ enum: ['a'] }, { type: 'boolean' }] }),
    ).toEqual({
      oneOf: [{ type: ['string', 'boolean'], enum: ['a'] }, { type: 'boolean' }],
    });
  });

  test('stay if there are no branches', () => {
    const schema = { type: 'object', properties: { type: { type: 'string' }, anyOf: { type: 'array', items: {} } } };
    expect(limited('typed_branches', schema)).toBe(schema);
  });

  test('stay with the parameters of a tool, whose branches become optional properties', () => {
    const parameters = {
      type: 'object',
      properties: { code: { type: 'string' } },
      required: ['code'],
      anyOf: [
        { properties: { code: {}, year: { type: 'integer' } }, required: ['year', 'kind'] },
        { $ref: '#/$defs/day' },
      ],
      $defs: { day: { type: 'object', properties: { day: { type: 'string' } }, required: ['day', 'kind'] } },
    };
    expect(limited('typed_branches', parameters)).toEqual({
      type: 'object',
      properties: { code: { type: 'string' }, year: { type: 'integer' }, day: { type: 'string' } },
      required: ['code', 'kind'],
      $defs: parameters.$defs,
    });
  });

  test('move in the schema of an answer too', () => {
    const schema = { type: 'object', anyOf: [{ required: ['a'] }] };
    const pushed = { anyOf: [{ type: 'object', required: ['a'] }] };
    const chat = { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } };
    const responses = { text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema } } };
    const compat = { schemas: ['typed_branches'] } as const;
    expect(adapted('chat', chat, compat).body).toEqual({
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: pushed } },
    });
    expect(adapted('responses', responses, compat).body).toEqual({
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: pushed } },
    });
  });
});

describe('G10, a plain schema', () => {
  test.each<[string, object, object]>([
    [
      'exclusive bounds of whole numbers',
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: 'integer', minimum: 1, maximum: 8 },
    ],
    [
      'exclusive bounds of numbers',
      { type: 'number', exclusiveMinimum: 0, minimum: 2 },
      { type: 'number', minimum: 2 },
    ],
    [
      'bounds in the spelling of earlier days',
      { type: 'number', minimum: 0, exclusiveMinimum: true },
      { type: 'number', minimum: 0 },
    ],
    ['a constant', { const: 'a' }, { type: 'string', enum: ['a'] }],
    [
      'values with null among them',
      { type: 'string', enum: ['a', null] },
      { type: 'string', enum: ['a'], nullable: true },
    ],
    [
      'values that are no texts',
      { type: 'integer', description: 'd', enum: [1, 2] },
      { type: 'integer', description: 'd One of: 1, 2' },
    ],
    ['a type that may be null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'several types',
      { type: ['array', 'string'], items: { const: 'x' }, minLength: 1, description: 'd' },
      {
        description: 'd',
        anyOf: [
          { type: 'array', items: { type: 'string', enum: ['x'] } },
          { type: 'string', minLength: 1 },
        ],
      },
    ],
    [
      'a branch that is null',
      { anyOf: [{ type: 'string', maxLength: 3 }, { type: 'null' }], description: 'd' },
      { type: 'string', maxLength: 3, description: 'd', nullable: true },
    ],
    [
      'exclusive branches',
      { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ],
    [
      'a sum',
      {
        allOf: [
          { properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: {} }, required: ['b'] },
        ],
        type: 'object',
      },
      { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'] },
    ],
    [
      'places in a list',
      { type: 'array', prefixItems: [{ type: 'string' }] },
      { type: 'array', items: { type: 'string' } },
    ],
    [
      'several places in a list',
      { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    ],
    [
      'unknown keywords',
      { type: 'object', $schema: 's', additionalProperties: false, propertyNames: {}, examples: [1], if: {}, 'x-y': 1 },
      { type: 'object' },
    ],
    ['formats that few know', { type: 'string', format: 'uri' }, { type: 'string' }],
    [
      'properties that are required and not there',
      { type: 'object', properties: { a: true }, required: ['a', 'b'] },
      { type: 'object', properties: { a: {} }, required: ['a'] },
    ],
  ])('translates %s', (_, schema, expected) => {
    expect(property('plain', schema)).toEqual(expected);
  });

  test('is unchanged if it was plain, whatever its properties are called', () => {
    const schema = {
      type: 'object',
      description: 'd',
      properties: {
        $ref: { type: 'string', pattern: '^a$', default: 'a' },
        const: { type: 'array', items: { type: 'number', minimum: 0 }, maxItems: 3 },
        oneOf: {
          anyOf: [
            { type: 'string', format: 'date-time' },
            { type: 'integer', format: 'int64' },
          ],
          nullable: true,
        },
      },
      required: ['const'],
    };
    expect(limited('plain', schema)).toBe(schema);
  });

  test('has targets in place of references', () => {
    const parameters = {
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/a~1b', description: 'mine' },
        c: { $ref: '#/definitions/c' },
        d: { $ref: 'elsewhere' },
      },
      $defs: { 'a/b': { type: 'string', description: 'theirs', const: 'x' } },
      definitions: { c: { $ref: '#/$defs/a~1b' } },
    };
    expect(limited('plain', parameters)).toEqual({
      type: 'object',
      properties: {
        a: { type: 'string', description: 'mine', enum: ['x'] },
        c: { type: 'string', description: 'theirs', enum: ['x'] },
        d: {},
      },
    });
  });

  test('ends where a schema refers to itself', () => {
    const node = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } };
    expect(limited('plain', { $ref: '#/$defs/node', $defs: { node } })).toEqual({
      type: 'object',
      properties: { children: { type: 'array', items: { type: 'object' } } },
    });
    expect(limited('plain', { type: 'object', properties: { me: { $ref: '#' } } })).toMatchObject({
      properties: { me: { type: 'object' } },
    });
    expect(
      limited('plain', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    ).toEqual({});
  });

  test('holds only basic keywords', () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const plain = limited('plain', schema);
        expect(limited('plain', plain)).toBe(plain);
        expect(JSON.stringify(plain)).not.toMatch(
          /"(?:\$ref|\$defs|\$schema|oneOf|allOf|const|prefixItems|exclusiveM\w+|additionalProperties)"/,
        );
      }),
      { numRuns: runs(1000) },
    );
  });

  test('stays small where a few references stand for millions of nodes', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const next = { $ref: `#/$defs/d${i + 1}` };
        return [`d${i}`, { type: 'object', properties: { a: next, b: next }, allOf: [next, next] }];
      }),
    );
    expect(JSON.stringify(limited('plain', { $ref: '#/$defs/d0', $defs })).length).toBeLessThan(1_000_000);
  });
});

describe('G11, no patterns', () => {
  test('drops patterns and formats, but not properties of such names', () => {
    const parameters = {
      type: 'object',
      properties: {
        pattern: { type: 'string', pattern: '\\S' },
        ids: { type: 'array', items: { type: 'string', pattern: '^(\\d+)$', format: 'uuid', minLength: 1 } },
        either: { anyOf: [{ format: 'uri' }, { type: 'null' }] },
      },
      $defs: { x: { pattern: 'x' } },
      default: { pattern: 'kept' },
    };
    expect(limited('no_patterns', parameters)).toEqual({
      type: 'object',
      properties: {
        pattern: { type: 'string' },
        ids: { type: 'array', items: { type: 'string', minLength: 1 } },
        either: { anyOf: [{}, { type: 'null' }] },
      },
      $defs: { x: {} },
      default: { pattern: 'kept' },
    });
  });

  test('names the tools it concerns', () => {
    const tools = [
      { type: 'function', name: 'a', parameters: { pattern: 'x' } },
      { type: 'function', name: 'b', parameters: {} },
      { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'c', parameters: { format: 'uri' } }] },
    ];
    expect(adapted('responses', { tools }, { schemas: ['no_patterns'] }).changes).toEqual([
      { id: 'G11', before: 'schemas of a, c', after: 'no patterns and formats' },
    ]);
  });
});
