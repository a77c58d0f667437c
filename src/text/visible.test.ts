import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, visible } from './visible.ts';

test.each([
  ['plain', 'plain'],
  ['a\tb\nc', 'a\tb\nc'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u001b]0;title\u0007text', 'text'],
  ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b(Bx\u001bcy', 'xy'],
  ['bell\u0007 back\b\r\u009b31m', 'bell back31m'],
  ['ümläut 漢字 🎉', 'ümläut 漢字 🎉'],
  ['\u202egnp.exe', '\\u{202E}gnp.exe'],
  ['a\u200bb\ufeff\u2066c\u2069\u00ad', 'a\\u{200B}b\\u{FEFF}\\u{2066}c\\u{2069}\\u{AD}'],
  ['r\u200dm a\u2028b', 'r\\u{200D}m a\\u{2028}b'],
  ['👩\u200d🚀 ✔\ufe0f می\u200cخواهم', '👩\u200d🚀 ✔\ufe0f می\u200cخواهم'],
])('%j becomes %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each([
  ['a\tb\nc', 'a\tb\nc'],
  ['\u001b[31mred', '\\u{1B}[31mred'],
  ['a\rb\u0007\u009b', 'a\\u{D}b\\u{7}\\u{9B}'],
  ['\u202egnp.exe', '\\u{202E}gnp.exe'],
  ['\u200dm', '\\u{200D}m'],
  ['👩\u200d🚀 ✔\ufe0f می\u200cخواهم', '👩\u200d🚀 ✔\ufe0f می\u200cخواهم'],
  ['\ud800x', '\ufffdx'],
])('%j is visible as %j', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

test('no control character except tab and newline is left in any text', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b', '\u001b[', '\u001b]', '\u0007', '\u009b'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      for (const shown of [printable(pieces.join('')), visible(pieces.join(''))])
        expect(shown).not.toMatch(/(?![\n\t])\p{Cc}|\p{Bidi_Control}|\p{Zl}|\p{Zp}|\u200B/u);
    }),
  );
});
