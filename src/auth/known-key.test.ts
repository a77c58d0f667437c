import { expect, test } from 'vitest';
import { bearerKey, isKnownKey } from './known-key.ts';

test.each([
  ['b', ['a', 'b'], true],
  ['a', ['a', 'b'], true],
  ['c', ['a', 'b'], false],
  ['', ['a'], false],
  ['a', [], false],
])('the key %j among %j is known: %j', (shown, keys, known) => expect(isKnownKey(shown, keys)).toBe(known));

test.each([
  ['Bearer abc', 'abc'],
  ['bearer  abc ', 'abc'],
  ['Basic abc', undefined],
  ['Bearer a b', undefined],
  ['', undefined],
  [undefined, undefined],
])('the key of %j is %j', (header, key) => expect(bearerKey(header)).toBe(key));
