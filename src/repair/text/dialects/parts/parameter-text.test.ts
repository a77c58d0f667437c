import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../../base/json-schema.ts';
import { parameterText, propertySchema, withoutPadding } from './parameter-text.ts';

const ANY_OF: JsonSchema = { anyOf: [{ type: 'array' }, { type: 'string' }] };

test.each<[raw: string, schema: JsonSchema | undefined, text: string]>([
  ['5', { type: 'string' }, '"5"'],
  ['null', { type: 'string' }, '"null"'],
  ['"x"', { type: 'string' }, '"\\"x\\""'],
  ['5', { type: 'integer' }, '5'],
  ['5.5', { type: 'integer' }, '"5.5"'],
  ['5.5', { type: 'number' }, '5.5'],
  [' 12345678901234567890 ', { type: 'integer' }, '12345678901234567890'],
  ['True', { type: 'boolean' }, 'true'],
  ['False', { type: 'boolean' }, 'false'],
  ['true', { type: 'boolean' }, 'true'],
  ['yes', { type: 'boolean' }, '"yes"'],
  ['None', { type: 'integer' }, 'null'],
  ['null', { type: ['string', 'null'] }, 'null'],
  ['nothing', { type: ['string', 'null'] }, '"nothing"'],
  ['["a"]', ANY_OF, '["a"]'],
  ['[a', ANY_OF, '"[a"'],
  ['"a"', ANY_OF, '"\\"a\\""'],
  ['2', { enum: ['2', '3'] }, '"2"'],
  ['2', { enum: [2, 3] }, '2'],
  ['2', { const: 2 }, '2'],
  ['{"a":1}', { oneOf: [{ $ref: '#/x' }, { type: 'null' }] }, '{"a":1}'],
  ['{"a":1}', undefined, '{"a":1}'],
  ['"a"', {}, '"a"'],
  ['7', {}, '7'],
  ['7.10', {}, '"7.10"'],
  ['1e3', {}, '"1e3"'],
  ['hello', {}, '"hello"'],
])('%s as %j is %s', (raw, schema, text) => {
  expect(parameterText(raw, schema)).toBe(text);
});

describe('line breaks', () => {
  test.each([
    ['\na\n', 'a'],
    ['\n\na\n\n', '\na\n'],
    ['\r\na\r\n', 'a'],
    ['a', 'a'],
    ['\n', ''],
    ['', ''],
    [' a ', ' a '],
  ])('%j is %j', (raw, value) => {
    expect(withoutPadding(raw, 'each')).toBe(value);
  });

  test.each([
    ['\na\n', 'a'],
    ['a\n', 'a\n'],
    ['\na', '\na'],
    ['\n', '\n'],
    ['\n\n', ''],
  ])('%j in a pair is %j', (raw, value) => {
    expect(withoutPadding(raw, 'pair')).toBe(value);
  });
});

test('members that every object inherits are not properties of a schema', () => {
  expect(propertySchema({ properties: {} }, 'constructor')).toBeUndefined();
  expect(propertySchema({ properties: {}, additionalProperties: { type: 'integer' } }, 'x')).toEqual({
    type: 'integer',
  });
});
