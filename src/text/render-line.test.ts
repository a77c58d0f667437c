import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ColorDepth, renderLine } from './render-line.ts';
import { type SpanStyle, span } from './span.ts';

const one = (style: SpanStyle, depth: ColorDepth) => renderLine([span('x', style)], depth).replaceAll('\u001b', '^');

test.each<[SpanStyle, ColorDepth, string]>([
  [{}, '16', 'x'],
  [{ bold: true, color: 'code' }, '16', '^[1;36mx^[0m'],
  [{ bold: true, color: 'code', link: 'http://a' }, 'none', 'x'],
  [{ color: 1 }, '16', '^[31mx^[0m'],
  [{ background: 9 }, '16', '^[101mx^[0m'],
  [{ color: 196 }, '256', '^[38;5;196mx^[0m'],
  [{ color: 196 }, '16', '^[91mx^[0m'],
  [{ color: 244 }, '16', '^[37mx^[0m'],
  [{ color: [255, 0, 0] }, 'true', '^[38;2;255;0;0mx^[0m'],
  [{ color: [255, 0, 0] }, '256', '^[38;5;196mx^[0m'],
  [{ color: [128, 128, 128] }, '256', '^[38;5;244mx^[0m'],
  [{ background: [0, 0, 95] }, '16', '^[44mx^[0m'],
  [{ link: 'http://a/ü b\u001b\\' }, '16', '^]8;;http://a/%C3%BC%20b%1B\\^\\x^]8;;^\\'],
])('%j in %s', (style, depth, written) => {
  expect(one(style, depth)).toBe(written);
});

test('a style goes on while it is the same, and ends with the row', () => {
  const bold = { bold: true };
  const line = [
    span('a', bold),
    span('b', bold),
    span('c'),
    span('d', { link: 'http://a' }),
    span('e', { link: 'http://a' }),
  ];
  const written = renderLine(line, '16').replaceAll('\u001b', '^');
  expect(written).toBe('^[1mab^[0mc^]8;;http://a^\\de^]8;;^\\');
});

test('no text and no address of a span controls the terminal', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001b[2J', '\u001b]0;x\u0007', '\r', '\u009b'),
  );
  fc.assert(
    fc.property(text, text, fc.constantFrom<ColorDepth>('none', '16', '256', 'true'), (shown, link, depth) => {
      const rest = renderLine([span(shown, { link, bold: true })], depth).replace(OWN, '');
      expect(rest).not.toMatch(/\p{Cc}/u);
    }),
  );
});

const ESCAPE = '\\u001b';
const OWN = new RegExp(`${ESCAPE}\\[[0-9;]*m|${ESCAPE}\\]8;;[\\x21-\\x7e]*${ESCAPE}\\\\`, 'g');
