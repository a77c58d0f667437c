import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from './digest-of.ts';

test('depends on every character of the text, their order and the digest before', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), fc.nat(), (a, b, before) => {
      expect(digestOf(a, before)).toBe(digestOf(a, before));
      if (a !== b) expect(digestOf(a, before)).not.toBe(digestOf(b, before));
      expect(digestOf(a, before)).not.toBe(digestOf(a, before + 1));
      expect(Number.isSafeInteger(digestOf(a, digestOf(b, before)))).toBe(true);
    }),
  );
});

test('depends on one character in the middle of a long text, and on zeros at its end', () => {
  const long = 'äb€𝄞'.repeat(20_000);
  const changed = `${long.slice(0, 50_001)}X${long.slice(50_002)}`;
  expect(digestOf(changed, 0)).not.toBe(digestOf(long, 0));
  const ends = ['', '\0', '\0\0', '\0\0\0\0', 'a', 'a\0'].map((text) => digestOf(text, 7));
  expect(new Set(ends).size).toBe(ends.length);
});

test('hundreds of thousands of texts have different digests', () => {
  const digests = new Set(Array.from({ length: 200_000 }, (_, n) => digestOf(`call_${n}`, 0)));
  expect(digests.size).toBe(200_000);
});
