import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellWidth } from './cells.ts';
import { graphemes } from './graphemes.ts';
import { lineText, type Span, type SpanStyle, span } from './span.ts';
import { cutLine, lineWidth, type WrapOptions, wrapSpans } from './wrap.ts';

const rows = (text: string, width: number, options: WrapOptions = {}) =>
  wrapSpans([span(text)], width, options).map(lineText);

test.each<[string, string, number, string[]]>([
  ['rows end between words', 'one two three', 8, ['one two', 'three']],
  ['a word that is too long is broken', 'a abcdefghij b', 4, ['a', 'abcd', 'efgh', 'ij b']],
  ['a line feed begins a row', 'a\n\nb', 9, ['a', '', 'b']],
  ['spaces inside a row stay', 'a  b', 9, ['a  b']],
  ['spaces at a break do not', 'aaa   bbb', 4, ['aaa', 'bbb']],
  ['spaces at the start stay', '  a b', 4, ['  a', 'b']],
  ['an empty text is one row', '', 9, ['']],
  ['a wide character is not split', '日本語', 5, ['日本', '語']],
  ['scripts without spaces are broken anywhere', 'ab 日本語', 7, ['ab 日本', '語']],
  ['but not before a full stop', '日本語。', 6, ['日本', '語。']],
  ['a no-break space does not break', 'a b\u00a0c', 3, ['a', 'b\u00a0c']],
  ['emoji stay whole', '👩\u200d🚀👩\u200d🚀', 3, ['👩\u200d🚀', '👩\u200d🚀']],
])('%s', (_, text, width, expected) => {
  expect(rows(text, width)).toEqual(expected);
});

test('the first row and the others have their own indents', () => {
  expect(rows('one two three', 9, { indent: [span('- ')], hanging: 2 })).toEqual(['- one two', '  three']);
  // An indent leaves room for text.
  expect(rows('one', 4, { indent: 10, hanging: 10 })).toEqual(['  on', '  e']);
});

test('styles go with their words, and a word may have several', () => {
  const bold = { bold: true };
  const wrapped = wrapSpans([span('one tw'), span('o', bold), span(' three', bold)], 7);
  expect(wrapped).toEqual([[span('one tw'), span('o', bold)], [span('three', bold)]]);
});

test('a row can be cut', () => {
  expect(lineText(cutLine([span('ab'), span('日本')], 5))).toBe('ab日');
});

const word = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
  fc.constantFrom('word', 'longer-word', '日本語のテキスト', '👩\u200d🚀', 'e\u0301', '🇩🇪', ' ', '  ', '\n'),
);
const spans = fc.array(
  fc.record({
    text: word.map((text) => text.replace(/(?!\n)\p{Cc}/gu, '')),
    style: fc.constantFrom<SpanStyle>({}, { bold: true }),
  }),
  { maxLength: 30 },
);

test('no row is wider than the width, and nothing but spaces is lost', () => {
  fc.assert(
    fc.property(spans, fc.integer({ min: 2, max: 60 }), fc.nat(6), fc.nat(6), (source, width, indent, hanging) => {
      // Some graphemes of several wide letters take more cells than the narrowest rows have.
      fc.pre(source.every(({ text }) => graphemes(text).every((part) => cellWidth(part) <= 2)));
      const wrapped = wrapSpans(source, width, { indent, hanging });
      for (const line of wrapped) expect(lineWidth(line)).toBeLessThanOrEqual(width);
      const bare = (text: string) => text.replace(/[ \n\t]/g, '');
      expect(bare(wrapped.map(lineText).join(''))).toBe(bare(source.map(({ text }) => text).join('')));
      expect(boldText(wrapped.flat())).toBe(boldText(source));
    }),
  );
});

const boldText = (parts: readonly Span[]) =>
  parts
    .filter(({ style }) => style.bold)
    .map(({ text }) => text)
    .join('')
    .replace(/[ \n\t]/g, '');
