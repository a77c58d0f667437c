import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkdownState } from './markdown-state.ts';

describe('code', () => {
  test.each([
    ['```\nx', 'fenced'],
    ['   ```js\nx', 'fenced'],
    ['1. ```\n   x', 'fenced'],
    ['> ```\n> x', 'fenced'],
    ['~~~\n```\n', 'fenced'],
    ['````\n```\n', 'fenced'],
    ['```\n``` js\n', 'fenced'],
    ['```\nx\n```\n', 'none'],
    ['```\nx\n   ````', 'none'],
    ['```\nx\n```  \n', 'none'],
    ['```a```', 'none'],
    ['text ```', 'inline'],
    ['a `', 'inline'],
    ['a ` b', 'inline'],
    ['a `b`', 'none'],
    ['a ``b`', 'inline'],
    ['a ``b`` ', 'none'],
    ['a `\n', 'none'],
    ['a ``\n', 'inline'],
    ['a ``\n\n', 'none'],
    ['a ~~', 'none'],
    ['a\n\n    b', 'indented'],
    ['a\n\n    ', 'indented'],
    ['a\n\n\tb\n\n    c', 'indented'],
    ['a\n\n    b\n    c', 'indented'],
    ['a\n\n    b\n  c', 'none'],
    ['a\n\n   b', 'none'],
    ['a\n    b', 'none'],
    ['\n\n    ', 'none'],
  ])('%j', (text, expected) => {
    const place = placeAfter([text]);
    expect(place.fenced ? 'fenced' : place.inline ? 'inline' : place.indented ? 'indented' : 'none').toBe(expected);
  });
});

describe('the line so far', () => {
  test.each([
    ['', ''],
    ['The model writes ', 'midSentence'],
    ['The model writes:', 'midSentence'],
    ['It does. ', ''],
    ['It does\n', ''],
    ['It says "', 'midSentence quoted'],
    ['It says “', 'midSentence quoted'],
    ['It says "go"', 'midSentence'],
    ['(', 'midSentence quoted'],
    ['> ', 'quoted'],
    ['| a | ', 'midSentence quoted'],
    ['> a\n', ''],
    ['- ', 'midSentence quoted'],
    ['12. ', 'quoted'],
    ['- The form', 'midSentence quoted'],
    ['- It is. ', ''],
    ['**a** b', 'midSentence'],
  ])('%j', (text, expected) => {
    const place = placeAfter([text]);
    const found = [place.midSentence ? 'midSentence' : '', place.quoted ? 'quoted' : ''];
    expect(found.filter((word) => word !== '').join(' ')).toBe(expected);
  });

  test('starts again after a block', () => {
    const place = placeAfter(['I look: ']);
    place.passBlock();
    expect(place.midSentence).toBe(false);
  });
});

test('the state does not depend on how the text is cut', () => {
  const unit = fc.constantFrom(
    '`',
    '```',
    '~~~',
    '\n',
    ' ',
    'a',
    '"',
    '.',
    '>',
    '- ',
    '\t',
    '    ',
    '1.',
    'long '.repeat(20),
  );
  fc.assert(
    fc.property(fc.array(fc.array(unit).map((parts) => parts.join(''))), (pieces) => {
      expect(standing(placeAfter(pieces))).toEqual(standing(placeAfter([...pieces.join('')])));
    }),
  );
});

function placeAfter(pieces: readonly string[]): MarkdownState {
  const place = new MarkdownState();
  for (const piece of pieces) place.walk(piece, 0, piece.length);
  return place;
}

function standing(place: MarkdownState): unknown {
  const { fenced, inline, indented, quoted, midSentence, lineStarts, afterQuote, afterSpace } = place;
  return { fenced, inline, indented, quoted, midSentence, lineStarts, afterQuote, afterSpace };
}
