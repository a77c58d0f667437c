import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ansiSpans } from './ansi-spans.ts';
import { type Span, span } from './span.ts';

test.each<[string, Span[]]>([
  ['plain', [span('plain')]],
  ['^[31mred^[0m off', [span('red', { color: 1 }), span(' off')]],
  ['^[1;4mx^[22my^[mz', [span('x', { bold: true, underline: true }), span('y', { underline: true }), span('z')]],
  ['^[38;5;200mx^[39my', [span('x', { color: 200 }), span('y')]],
  ['^[38;2;1;2;3;7mx', [span('x', { color: [1, 2, 3], inverse: true })]],
  ['^[48:5:3mx', [span('x', { background: 3 })]],
  ['^[96;103mx', [span('x', { color: 14, background: 11 })]],
  ['^[38;5;999mx^[38mx', [span('x'), span('x')]],
  ['^[2J^[10;10Hx^[31', [span('x31')]],
  ['^]0;title\u0007x\u0007\ry', [span('xy')]],
  ['a\n\tb', [span('a\n\tb')]],
  ['', []],
])('%j', (text, spans) => {
  expect(ansiSpans(text.replaceAll('^', '\u001b'))).toEqual(spans);
});

test('only line feeds and tabs of the control characters are left', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b[', '31m', '\u001b]8;;', '\u0007', '\u009b'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      for (const { text } of ansiSpans(pieces.join(''))) expect(text).not.toMatch(/(?![\n\t])\p{Cc}|\p{Bidi_Control}/u);
    }),
  );
});
