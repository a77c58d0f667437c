import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { visibleLine, visibleText } from './visible-text.ts';

/** One of each kind of character that a person cannot see, or that moves others. */
const UNSEEN = [
  ...['\u0000', '\u0007', '\b', '\r', '\u001b', '\u007f', '\u0085', '\u009b', '\u009d'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e'],
  ...['\u2066', '\u2067', '\u2068', '\u2069', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff'],
  ...['\u00ad', '\u180e', '\u2028', '\u2029', '\u{e0001}', '\u{e0041}', '\u{e007f}', '\ufe0f', '\u{e0100}'],
  ...['\u00a0', '\u2003', '\u3000', '\u3164', '\u2800', '\u115f', '\ue000', '\ud800', '\udc00'],
];

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...UNSEEN, '\\', 'u', '{', '}', '202E', '\n', '\t', ' ', 'rm'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''));

/** Undoes the escapes. */
const read = (shown: string) =>
  shown.replace(/\\u\{([0-9A-F]+)\}/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

test.each(UNSEEN)('%j is shown by its number', (character) => {
  const hex = character.codePointAt(0)?.toString(16).toUpperCase();
  expect(visibleText(`a${character}b`)).toBe(`a\\u{${hex}}b`);
  expect(visibleLine(character)).toBe(`\\u{${hex}}`);
});

test('ordinary texts stay as they are', () => {
  for (const one of ['grep -E "\\d+" a\\b.txt', 'čeština, 漢字, עברית, \u{1f600}', "'it''s'", 'C:\\users\\me'])
    expect(visibleLine(one)).toBe(one);
  expect(visibleText('one\n\ttwo')).toBe('one\n\ttwo');
  expect(visibleLine('one\n\ttwo')).toBe('one\\u{A}\\u{9}two');
});

test('no text hides a character, and different texts stay different', () => {
  fc.assert(
    fc.property(text, (any) => {
      const line = visibleLine(any);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
      expect(read(line)).toBe(any);
      expect(read(visibleText(any))).toBe(any);
      expect(visibleText(any).replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: runs(2000) },
  );
});
