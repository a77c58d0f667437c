import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyJson, anyText, plain } from '../responses/fixtures/arbitrary-items.ts';
import {
  decodeOpaqueState,
  encodeOpaqueState,
  hasOpaqueState,
  isSealed,
  type OpaqueState,
  withoutOpaqueState,
} from './opaque-state.ts';

const reasoning = (encrypted_content: string | null) => ({ encrypted_content });

describe('opaque state', () => {
  const anyDetails = plain(fc.array(anyJson));
  const anyExtra = plain(fc.array(fc.tuple(fc.oneof(anyText, fc.constant('__proto__')), anyJson), { maxLength: 4 }));

  test('survives encoding and decoding', () => {
    fc.assert(
      fc.property(anyDetails, anyExtra, (details, entries) => {
        const extra = new Map(entries);
        const text = encodeOpaqueState({ details, extra });
        expect(text).toMatch(/^oxbow:[A-Za-z0-9_-]+$/);
        expect(hasOpaqueState(reasoning(text))).toBe(true);
        expect(isSealed(reasoning(text))).toBe(false);
        expect(decodeOpaqueState(text)).toStrictEqual({ details, extra });
      }),
    );
  });

  test('is sealed if it includes the reasoning itself', () => {
    fc.assert(
      fc.property(anyText, anyDetails, anyExtra, (text, details, entries) => {
        const carried: OpaqueState = { text, details, extra: new Map(entries) };
        const encrypted = encodeOpaqueState(carried);
        expect(encrypted).toMatch(/^oxbow:sealed:[A-Za-z0-9_-]+$/);
        expect(hasOpaqueState(reasoning(encrypted))).toBe(true);
        expect(isSealed(reasoning(encrypted))).toBe(true);
        expect(decodeOpaqueState(encrypted)).toStrictEqual(carried);
      }),
    );
  });

  test('is not given to another server, except for the text', () => {
    const item = (encrypted_content: string | null) => ({
      type: 'reasoning' as const,
      summary: [],
      content: null,
      encrypted_content,
    });
    fc.assert(
      fc.property(fc.option(anyText, { nil: undefined }), anyDetails, (text, details) => {
        const own = { ...(text !== undefined && { text }), details, extra: new Map([['call_1', 'signature']]) };
        const { encrypted_content } = withoutOpaqueState(item(encodeOpaqueState(own)));
        expect(decodeOpaqueState(encrypted_content)).toStrictEqual({ ...own, details: [], extra: new Map() });
      }),
    );
    for (const foreign of [item(null), item('gAAAAABo')]) expect(withoutOpaqueState(foreign)).toBe(foreign);
  });

  test('carries what a server signed, redacted or encrypted', () => {
    const anySealed = plain(
      fc.record({ signature: anyText, redacted: anyText, encrypted: anyText }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(anySealed, (sealed) => {
        expect(decodeOpaqueState(encodeOpaqueState(sealed))).toStrictEqual({
          details: [],
          extra: new Map(),
          ...sealed,
        });
      }),
    );
  });

  test('is distinguished from content that a server encrypted', () => {
    for (const sealed of [null, '', 'gAAAAABo', 'Oxbow:e30', 'sealed:e30']) {
      expect(hasOpaqueState(reasoning(sealed))).toBe(false);
      expect(isSealed(reasoning(sealed))).toBe(false);
      expect(decodeOpaqueState(sealed)).toBeUndefined();
    }
    fc.assert(fc.property(fc.base64String(), (sealed) => !hasOpaqueState(reasoning(sealed))));
  });

  test('is undefined if it is damaged', () => {
    const wrap = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const value of [[], null, 1, {}, { details: [] }, { details: {}, extra: {} }, { details: [], extra: [] }]) {
      expect(decodeOpaqueState(`oxbow:${wrap(value)}`)).toBeUndefined();
      expect(decodeOpaqueState(`oxbow:sealed:${wrap(value)}`)).toBeUndefined();
    }
    expect(decodeOpaqueState(`oxbow:sealed:${wrap({ text: 1, details: [], extra: {} })}`)).toEqual({
      details: [],
      extra: new Map(),
    });
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeOpaqueState(`oxbow:${text}`)).toBeUndefined();
        expect(decodeOpaqueState(`oxbow:sealed:${text}`)).toBeUndefined();
      }),
    );
  });
});
