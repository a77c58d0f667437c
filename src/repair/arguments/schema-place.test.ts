import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../base/json-schema.ts';
import { ANY, BOOLEAN, INTEGER, LIST, NULL, NUMBER, OBJECT, STRING, schemaPlace, UNKNOWN } from './schema-place.ts';

describe('the types that a schema allows', () => {
  test.each<[JsonSchema, number]>([
    [{ type: 'array' }, LIST],
    [{ type: ['array', 'null'] }, LIST | NULL],
    [{ type: 'number' }, NUMBER | INTEGER],
    [{ type: 'object', nullable: true }, OBJECT | NULL],
    [{ type: 'dictionary' }, ANY],
    [{ type: [] }, ANY],
    [{}, ANY],
    [{ enum: ['a', null] }, STRING | NULL],
    [{ const: true }, BOOLEAN],
    [{ properties: {} }, OBJECT],
    [{ items: {} }, LIST],
    [{ anyOf: [{ type: 'array' }, { type: 'null' }] }, LIST | NULL],
    [{ oneOf: [{ type: 'array' }, {}] }, ANY],
    [{ anyOf: [{ type: 'array' }, true] }, ANY],
    [{ type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }, OBJECT],
    [{ allOf: [{ type: ['array', 'string'] }, { type: 'array' }] }, LIST],
    [{ allOf: [{ type: 'array' }, { type: 'string' }] }, ANY],
    [{ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'integer' } } }, INTEGER],
    [{ $ref: '#/$defs/none' }, ANY],
    [{ $ref: 'https://example.com/schema' }, ANY],
    [{ $ref: '#' }, ANY],
  ])('%j', (schema, types) => {
    expect(schemaPlace(schema).types).toBe(types);
  });
});

describe('the places in a document', () => {
  const tree: JsonSchema = {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        anyOf: [
          { type: 'object', properties: { left: { $ref: '#' }, value: { type: 'integer' } } },
          { type: 'object', properties: { left: { $ref: '#' }, value: { type: 'array' } }, required: ['left'] },
        ],
      },
    },
  };

  test('are found through circular references, however deep', () => {
    let place = schemaPlace(tree);
    for (let depth = 0; depth < 500; depth++) place = place.property('left');
    expect(place.types).toBe(OBJECT);
    expect(place.property('value').types).toBe(INTEGER | LIST);
  });

  test('are found by additional properties and items', () => {
    const place = schemaPlace({ type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } });
    expect(place.property('anything').item.types).toBe(STRING);
  });

  test.each<[JsonSchema]>([
    [{ type: 'object', properties: { b: {} } }],
    [{ type: 'object', additionalProperties: false }],
    [{ type: 'object', patternProperties: { '^b': {} }, additionalProperties: { type: 'array' } }],
    [{ type: 'string' }],
  ])('are unknown where %j says nothing of them', (schema) => {
    expect(schemaPlace(schema).property('a')).toBe(UNKNOWN);
    expect(schemaPlace(schema).property('constructor')).toBe(UNKNOWN);
  });

  test('of lists with a schema for each item are unknown', () => {
    expect(schemaPlace({ type: 'array', prefixItems: [{ type: 'array' }], items: { type: 'array' } }).item).toBe(
      UNKNOWN,
    );
  });

  test('are unknown without a schema', () => {
    expect(schemaPlace(undefined).property('a').item).toBe(UNKNOWN);
  });
});

describe('the required properties', () => {
  test('are the properties required in every case', () => {
    const schema = {
      required: ['a', 7],
      allOf: [{ required: ['b'] }, { $ref: '#/$defs/c' }],
      anyOf: [{ required: ['d'] }, { required: ['e'] }],
      $defs: { c: { required: ['c', 'a'] } },
    };
    expect([...schemaPlace(schema as unknown as JsonSchema).required].sort()).toEqual(['a', 'b', 'c']);
  });
});
