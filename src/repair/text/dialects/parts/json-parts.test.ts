import fc from 'fast-check';
import { expect, test } from 'vitest';
import { itemsOf, membersOf } from './json-parts.ts';

test('numbers keep all their digits', () => {
  expect(membersOf('{ "a" : 12345678901234567890 , "b":[1.0, {"c":","}] }')).toEqual(
    new Map([
      ['a', '12345678901234567890'],
      ['b', '[1.0, {"c":","}]'],
    ]),
  );
});

test('the last of two members with one name counts', () => {
  expect(membersOf('{"a":1,"a":2}').get('a')).toBe('2');
});

test('the parts of any JSON are its values', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.nat(3), (list, indent) => {
      const items = itemsOf(JSON.stringify(list, null, indent));
      expect(items.map((item) => JSON.parse(item))).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), (object, indent) => {
      const text = JSON.stringify(object, null, indent);
      const members = Array.from(membersOf(text), ([key, value]) => [key, JSON.parse(value)]);
      expect(members).toEqual(Object.entries(JSON.parse(text)));
    }),
  );
});
