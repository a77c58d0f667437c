import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonObjects } from './json-objects.ts';

test.each<[string, unknown[]]>([
  ['', []],
  ['no object {at all}', []],
  ['{}', [{}]],
  ['before {"a":1} between { "b" : {"c":2} } after', [{ a: 1 }, { b: { c: 2 } }]],
  ['```json\n{\n  "a": "}{\\"}"\n}\n```', [{ a: '}{"}' }]],
  ['if (x) { y } else {"a":1}', [{ a: 1 }]],
  ['unbalanced {"a": and then {"b":2}', [{ b: 2 }]],
  ['{"a":1,} {"b":2}', [{ b: 2 }]],
  ['{"a":"never closed', []],
  ['{"a":"\\', []],
])('%j', (text, objects) => {
  expect([...jsonObjects(text)]).toEqual(objects);
});

test('any object is found in any text without braces', () => {
  const plain = fc.string().map((text) => text.replace(/[{}"]/g, ''));
  const object = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
  fc.assert(
    fc.property(plain, object, plain, fc.constantFrom(0, 2), (before, value, after, indent) => {
      const found = [...jsonObjects(`${before}${JSON.stringify(value, null, indent)}${after}`)];
      expect(found).toEqual([JSON.parse(JSON.stringify(value))]);
    }),
  );
});

test('a text of opening braces is given up on', () => {
  expect([...jsonObjects(`${'{"'.repeat(200_000)} {"a":1}`)]).toEqual([]);
});
