import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pythonArguments } from './python-literals.ts';

test.each<[text: string, json: string | undefined]>([
  ['', '{}'],
  ['a=1', '{"a":1}'],
  [` a = 'x' , b = "y", `, '{"a":"x","b":"y"}'],
  [`a='it\\'s', b="\\x41\\u00e9\\n\\d"`, '{"a":"it\'s","b":"Aé\\n\\\\d"}'],
  ['a=True, b=False, c=None', '{"a":true,"b":false,"c":null}'],
  ['a=[1, [2], (3,)], b={}', '{"a":[1,[2],[3]],"b":{}}'],
  [`a={'b': {'c': -1.5e3}}`, '{"a":{"b":{"c":-1.5e3}}}'],
  ['a=', undefined],
  ['1', undefined],
  ['a=1 b=2', undefined],
  ['a=other', undefined],
  ['a="x', undefined],
  ['a={1: 2}', undefined],
  ['a=[1', undefined],
  [`a=${'['.repeat(1000)}`, undefined],
])('%s is %s', (text, json) => {
  expect(pythonArguments(text)).toBe(json);
});

test('JSON is Python except for its literals', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = pythonArguments(`a=${JSON.stringify(value)}`);
      expect(JSON.parse(text ?? '')).toEqual(JSON.parse(JSON.stringify({ a: value })));
    }),
  );
});
