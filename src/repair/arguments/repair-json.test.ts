import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { anyDocument, damagedDocument } from './fixtures/arbitrary-arguments.ts';
import { repairJson } from './repair-json.ts';

test.each([
  ['{"a":true', '{"a":true}'],
  ['{"a":1', undefined],
  ['{"re":"\\d"}{"re":"\\d"}', '{"re":"\\\\d"}'],
  ['"{\\"a\\":1}"', '{"a":1}'],
  ['', '{}'],
  ['null', '{}'],
  ['[1,2]', '[1,2]'],
  ['{"a":1}{"a":2}', undefined],
  ['{"a":"x', undefined],
  ['{"a":1} and more', undefined],
  ['ls', undefined],
])('%j becomes %j', (text, repaired) => {
  expect(repairJson(text)).toBe(repaired);
});

test('the schema decides what a text stands for', () => {
  expect(repairJson('{"a":"[1]"}', { type: 'object', properties: { a: { type: 'array' } } })).toBe('{"a":[1]}');
});

test('JSON stays as it is', () => {
  fc.assert(fc.property(anyDocument, ({ text, schema }) => void expect(repairJson(text, schema)).toBe(text)));
});

test('the result is JSON', () => {
  fc.assert(
    fc.property(damagedDocument, fc.boolean(), ({ text, schema }, known) => {
      const repaired = repairJson(text, known ? schema : undefined);
      if (repaired !== undefined) expect(() => JSON.parse(repaired)).not.toThrow();
    }),
    { numRuns: runs(500) },
  );
});
