import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMarked } from './marked-output.ts';

const TOKEN = 'token';
const MARK = `\x1e${TOKEN}`;

function readPieces(pieces: readonly Buffer[]) {
  const read = { pid: -1, code: -1, text: '' };
  const push = readMarked(TOKEN, {
    begun(pid) {
      read.pid = pid;
    },
    data(bytes) {
      read.text += Buffer.from(bytes).toString('latin1');
    },
    ended(code) {
      read.code = code;
    },
  });
  for (const piece of pieces) push(piece);
  return read;
}

test('the output between the marks is passed on, however it is cut', () => {
  const part = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('\x1e', '\x1eto', '\x1e\x1e', `${MARK.slice(0, -1)}`, '\n'),
  );
  const text = fc.array(part).map((parts) => Buffer.from(parts.join('')).toString('latin1'));
  const cuts = fc.array(fc.nat({ max: 200 }));
  fc.assert(
    fc.property(text, text, text, cuts, (before, inside, after, places) => {
      fc.pre(![before, inside].some((one) => one.includes(MARK)));
      const whole = Buffer.from(`${before}${MARK}12\n${inside}${MARK}3\n${after}`, 'latin1');
      const ends = [...places.map((place) => Math.min(place, whole.length)), whole.length].sort((a, b) => a - b);
      const pieces = ends.map((end, index) => whole.subarray(ends[index - 1] ?? 0, end));
      expect(readPieces(pieces)).toEqual({ pid: 12, text: inside, code: 3 });
    }),
  );
});

test('output without a mark is passed on at once, except for the beginning of one', () => {
  const push = (text: string) => readPieces([Buffer.from(`${MARK}1\n`), Buffer.from(text)]).text;
  expect(push('abc')).toBe('abc');
  expect(push('abc\x1eto')).toBe('abc');
  expect(push('abc\x1exx')).toBe('abc\x1exx');
});
