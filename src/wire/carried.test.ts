import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCarried, encodeCarried, isCarried } from './carried.ts';
import { anyJson, anyText, plain } from './responses/fixtures/arbitrary-items.ts';

const reasoning = (encrypted_content: string | null) => ({ encrypted_content });

describe('what is carried', () => {
  test('comes out as it went in, whatever it is', () => {
    const anyExtra = fc.array(fc.tuple(fc.oneof(anyText, fc.constant('__proto__')), anyJson), { maxLength: 4 });
    fc.assert(
      fc.property(plain(fc.array(anyJson)), plain(anyExtra), (details, entries) => {
        const extra = new Map(entries);
        const text = encodeCarried({ details, extra });
        expect(text).toMatch(/^oxbow:[A-Za-z0-9_-]+$/);
        expect(isCarried(reasoning(text))).toBe(true);
        expect(decodeCarried(text)).toEqual({ details, extra });
      }),
    );
  });

  test('is told from what a server sealed', () => {
    for (const sealed of [null, '', 'gAAAAABo', 'Oxbow:e30']) {
      expect(isCarried(reasoning(sealed))).toBe(false);
      expect(decodeCarried(sealed)).toBeUndefined();
    }
    fc.assert(fc.property(fc.base64String(), (sealed) => !isCarried(reasoning(sealed))));
  });

  test('is nothing where it was damaged', () => {
    const wrap = (value: unknown) => `oxbow:${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
    for (const value of [[], null, 1, {}, { details: [] }, { details: {}, extra: {} }, { details: [], extra: [] }]) {
      expect(decodeCarried(wrap(value))).toBeUndefined();
    }
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeCarried(`oxbow:${text}`)).toBeUndefined();
      }),
    );
  });
});
