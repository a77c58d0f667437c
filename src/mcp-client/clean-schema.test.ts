import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord } from '../base/json-schema.ts';
import { cleanSchema } from './clean-schema.ts';

const clean = (schema: unknown, maxBytes = 8192) => cleanSchema(schema, maxBytes);
const property = (schema: unknown) => clean({ type: 'object', properties: { x: schema } }).properties?.x;

describe('the schema of a tool', () => {
  test('passes unchanged if it is plain', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'string', description: 'A.', minLength: 1 },
        b: { type: 'array', items: { type: 'number' } },
      },
      required: ['a'],
      additionalProperties: false,
    };
    expect(clean(schema)).toEqual(schema);
  });

  test.each([
    [true, {}],
    [{ const: 'x' }, { enum: ['x'], type: 'string' }],
    [{ properties: { y: {} } }, { type: 'object', properties: { y: {} } }],
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [{ type: 'array' }, { type: 'array', items: {} }],
    [{ type: ['array', 'null'] }, { type: ['array', 'null'], items: {} }],
    [{ enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    [{ type: 'string', $comment: 'x', examples: ['y'], 'x-own': 1 }, { type: 'string' }],
    [{ $ref: 'https://example.org/schema.json', description: 'Far.' }, { description: 'Far.' }],
    [{ $ref: '#/nowhere' }, {}],
  ])('%j', (schema, expected) => {
    expect(property(schema)).toEqual(expected);
  });

  test('becomes an object whatever it was', () => {
    for (const schema of [null, true, [], 'x', {}, { $schema: 'https://json-schema.org/draft/2020-12/schema' }])
      expect(clean(schema)).toEqual({ type: 'object', properties: {} });
  });

  test('has the targets of its references in their places, and recursion ends with a type', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/tree' }, 'a/b': { $ref: '#/$defs/a~1b', description: 'Own.' } },
      $defs: {
        tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' } } },
        'a/b': { type: 'integer', description: 'Target.' },
      },
    };
    expect(clean(schema)).toEqual({
      type: 'object',
      properties: {
        tree: { type: 'object', properties: { left: { type: 'object', properties: {} } } },
        'a/b': { type: 'integer', description: 'Own.' },
      },
    });
  });

  test('has no branches at its top', () => {
    const branch = (name: string) => ({
      properties: { kind: { const: name }, [name]: { type: 'string' } },
      required: ['kind', name],
    });
    expect(clean({ type: 'object', oneOf: [branch('a'), branch('b')] })).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['kind'],
    });
    expect(clean({ allOf: [branch('a'), branch('b')] })).toMatchObject({ required: ['kind', 'a', 'b'] });
  });

  test('loses its descriptions, then its inner parts, when it is too large', () => {
    const deep = { type: 'object', properties: { y: { type: 'object', properties: { z: { type: 'string' } } } } };
    const schema = { type: 'object', properties: { x: { ...deep, description: 'd'.repeat(300) } }, required: ['x'] };
    expect(clean(schema, 250)).toEqual({ type: 'object', properties: { x: deep }, required: ['x'] });
    expect(clean(schema, 130)).toEqual({
      type: 'object',
      properties: { x: { type: 'object', properties: { y: { type: 'object', properties: {} } } } },
      required: ['x'],
    });
    expect(clean(schema, 10)).toEqual({ type: 'object', properties: {} });
  });

  test('that stands for billions of nodes is cut', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        { type: 'object', properties: { a: { $ref: `#/$defs/d${n + 1}` }, b: { $ref: `#/$defs/d${n + 1}` } } },
      ]),
    );
    const cleaned = clean({ type: 'object', properties: { x: { $ref: '#/$defs/d0' } }, $defs });
    expect(JSON.stringify(cleaned).length).toBeLessThanOrEqual(8192);
    expect(cleaned.properties?.x?.properties?.a).toBeDefined();
  });
});

test('any value becomes a bounded object schema without references', () => {
  const anyKeyword = fc.constantFrom(
    'type',
    'properties',
    'items',
    'anyOf',
    '$ref',
    'const',
    'enum',
    '$defs',
    'required',
    'x',
  );
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom('object', 'array', '#', '#/$defs/x', true, null, 3),
      fc.dictionary(anyKeyword, tie('schema'), { maxKeys: 5 }),
      fc.array(tie('schema'), { maxLength: 4 }),
    ),
  }));
  fc.assert(
    fc.property(schema, (value) => {
      const cleaned = clean(value, 2000);
      expect(cleaned.type).toBe('object');
      expect(isRecord(cleaned.properties)).toBe(true);
      expect(JSON.stringify(cleaned).length).toBeLessThanOrEqual(2000);
      expect(hasReference(cleaned)).toBe(false);
    }),
  );
});

/** Reports whether a schema has a reference as a keyword. */
function hasReference(node: unknown): boolean {
  if (!isRecord(node)) return Array.isArray(node) && node.some(hasReference);
  return (
    '$ref' in node ||
    ['items', 'anyOf', 'oneOf', 'allOf'].some((key) => hasReference(node[key])) ||
    Object.values(isRecord(node.properties) ? node.properties : {}).some(hasReference)
  );
}
