import { expect, test } from 'vitest';
import { type Line, span } from '../../text/span.ts';
import type { Caret, ScreenFrame } from './frame.ts';
import { type Painted, type PaintOptions, paint, unpainted } from './paint.ts';

const SIZE = { columns: 20, rows: 6 };
const row = (text: string): Line => (text === '' ? [] : [span(text)]);

const inline = (
  live: readonly string[],
  caret: Caret | null = { row: 0, column: 0 },
  commit: readonly string[] = [],
): ScreenFrame => ({
  kind: 'inline',
  commit: commit.map(row),
  live: live.map(row),
  caret,
});

/** Returns the bytes of the last of some frames without those that make it one step, with ␛ for Escape. */
function lastBytes(frames: readonly ScreenFrame[], options: Partial<PaintOptions> = {}, size = SIZE): string {
  let painted: Painted = unpainted(SIZE);
  let bytes = '';
  for (const [at, frame] of frames.entries()) {
    const isLast = at === frames.length - 1;
    const drawn = paint(painted, frame, isLast ? size : SIZE, { depth: 'none', ...(isLast ? options : {}) });
    painted = drawn.after;
    bytes = drawn.bytes;
  }
  return bytes.replaceAll('\u001b', '␛').replace(/^␛\[\?2026h(.*)␛\[\?2026l$/s, '$1');
}

test.each<[string, ScreenFrame[], string]>([
  ['the first frame', [inline(['one', 'two'], { row: 1, column: 3 })], '\rone\r\ntwo␛[4G'],
  ['the same frame costs nothing', [inline(['one']), inline(['one'])], ''],
  ['a row is written from its first changed cell', [inline(['one two']), inline(['one tea'])], '␛[6Gea\r'],
  ['the rest of a longer row is erased', [inline(['one two']), inline(['one'])], '␛[4G␛[K\r'],
  ['rows below the new end are erased', [inline(['one', 'two', 'six']), inline(['one'])], '\n\r␛[J␛[1A\r'],
  [
    'a row that becomes committed is written whole, with all below it',
    [inline(['one', 'two'], { row: 1, column: 0 }), inline(['two'], { row: 0, column: 0 }, ['one'])],
    '␛[1A\r␛[K␛[2G␛[J\rone\r\ntwo\r',
  ],
  [
    'new rows come by line feeds',
    [inline(['one']), inline(['three'], { row: 0, column: 5 }, ['one', 'two'])],
    '\r␛[K␛[2G␛[J\rone\r\ntwo\r\nthree␛[6G',
  ],
  [
    'the way down is by line feeds',
    [inline(['one', 'two', 'six']), inline(['one', 'two', 'ten'], { row: 2, column: 3 })],
    '\n\n\rten␛[4G',
  ],
  [
    'a committed row that is too wide is written whole',
    [inline(['one', 'two']), inline(['two'], { row: 0, column: 0 }, ['x'.repeat(25)])],
    `\r␛[K␛[2G␛[J\r${'x'.repeat(25)}\r\ntwo\r`,
  ],
  [
    'a row that fills the terminal is not erased behind',
    [inline(['a'.repeat(20)]), inline([`${'a'.repeat(19)}b`])],
    '␛[20Gb\r',
  ],
  ['a row is written from the first character of unsure width', [inline(['a…bc']), inline(['a…bd'])], '␛[2G␛[K…bd\r'],
  ['letters of East Asia are sure', [inline(['日本x']), inline(['日本y'])], '␛[5Gy\r'],
  ['a mark is written with its letter', [inline(['ae']), inline(['ae\u0301'])], '␛[2G␛[Ke\u0301\r'],
  ['the cursor is hidden without a caret', [inline(['a']), inline(['a'], null)], '␛[?25l'],
  ['a live row that is too wide is cut', [inline(['x'.repeat(30)])], `\r${'x'.repeat(20)}\r`],
  ['control characters do not reach the terminal', [inline(['a\u001bb'])], '\ra\\u{1B}b\r'],
  [
    'a live region that is too high shows its end',
    [inline(['1', '2', '3', '4', '5', '6', '7', '8'], { row: 7, column: 0 })],
    '\r3\r\n4\r\n5\r\n6\r\n7\r\n8\r',
  ],
])('%s', (_, frames, bytes) => {
  expect(lastBytes(frames)).toBe(bytes);
});

test('attributes are those of the changed cells', () => {
  const bold = (text: string): ScreenFrame =>
    ({ ...inline([]), live: [[span('a'), span(text, { bold: true })]] }) as ScreenFrame;
  expect(lastBytes([bold('bc'), bold('bd')], { depth: '16' })).toBe('␛[3G␛[1md␛[0m\r');
});

const caret = { row: 2, column: 15 };
test.each<[string, PaintOptions['reflow'], number]>([
  ['cuts rows', undefined, 2],
  ['wraps rows', { rows: true, caretRow: false }, 3],
  ['wraps the row of the cursor too', { rows: true, caretRow: true }, 4],
])('a narrower terminal that %s', (_, reflow, up) => {
  const frame = inline(['a'.repeat(14), 'b', 'c'.repeat(15)], caret);
  const bytes = lastBytes([frame, inline(['a'])], reflow && { reflow }, { columns: 8, rows: 6 });
  expect(bytes).toBe(`␛[${up}A\r␛[K␛[2G␛[J\r\ra\r`);
});

test('a page has the alternate screen, and the live region is there again after it', () => {
  const page = (...rows: string[]): ScreenFrame => ({ kind: 'page', rows: rows.map(row), caret: null });
  const before = inline(['one'], { row: 0, column: 3 });
  expect(lastBytes([before, page('a', 'b')])).toBe('␛[?1049h␛[1;1H␛[J␛[1;1Ha␛[2;1Hb␛[1;1H␛[?25l');
  expect(lastBytes([before, page('a', 'b'), page('a', 'bc')])).toBe('␛[2;2Hc␛[1;1H');
  expect(lastBytes([before, page('a', 'b'), page('a', 'b')])).toBe('');
  expect(lastBytes([before, page('a'), before])).toBe('␛[?1049l␛[4G␛[?25h');
});

test('nothing throws on a terminal of one cell', () => {
  const size = { columns: 1, rows: 1 };
  const frame = inline(['日本', 'ab'], { row: 1, column: 1 }, ['日本', 'abc']);
  const { after } = paint(unpainted(size), frame, size, { depth: 'none' });
  expect(after.live.map((line) => line.map(({ text }) => text).join(''))).toEqual(['a']);
});
