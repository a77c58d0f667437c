import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyJson } from '../responses/fixtures/arbitrary-items.ts';
import { argumentTexts, compactJson } from './json-text.ts';

test('white space between tokens is removed, and nothing else', () => {
  fc.assert(
    fc.property(anyJson, fc.nat({ max: 4 }), (value, indent) => {
      expect(compactJson(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value));
    }),
  );
  expect(compactJson(' { "b" : 12345678901234567890 ,\r\n\t"1": 1.0e5, "0":"a \\" b" } ')).toBe(
    '{"b":12345678901234567890,"1":1.0e5,"0":"a \\" b"}',
  );
});

test('no text makes the reader of tokens throw or run on', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(compactJson(text).length).toBeLessThanOrEqual(text.length);
      expect(Array.isArray(argumentTexts(text))).toBe(true);
    }),
  );
});

test('the arguments of calls are found in a line, whatever surrounds them', () => {
  const anyCall = fc.record({
    id: anyJson,
    before: anyJson,
    args: fc.dictionary(fc.string(), anyJson),
    after: anyJson,
  });
  fc.assert(
    fc.property(fc.array(anyCall), anyJson, fc.nat({ max: 2 }), (calls, other, indent) => {
      const tool_calls = calls.map(({ id, before, args, after }) => ({
        id,
        arguments: before,
        function: { before, arguments: args, after },
      }));
      const line = { arguments: other, function: other, message: { content: other, tool_calls }, other };
      expect(argumentTexts(JSON.stringify(line, null, indent))).toEqual(calls.map(({ args }) => JSON.stringify(args)));
    }),
  );
});

test('arguments elsewhere are not those of a call', () => {
  const args = { arguments: { a: 1 } };
  for (const line of [args, { message: args }, { tool_calls: [{ function: args }] }, { message: { function: args } }]) {
    expect(argumentTexts(JSON.stringify(line))).toEqual([]);
  }
});
