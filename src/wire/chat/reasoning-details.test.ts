import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyJson, plain } from '../responses/fixtures/arbitrary-items.ts';
import { createReasoningDetails } from './reasoning-details.ts';

const collect = (...frames: readonly (readonly unknown[])[]) => {
  const details = createReasoningDetails();
  for (const pieces of frames) details.add(pieces);
  return details.entries();
};
const text = (index: number, piece: string, fields: object = {}) => ({
  type: 'reasoning.text',
  text: piece,
  format: 'f',
  index,
  ...fields,
});
/** Cuts a text at the given places. */
const cut = (whole: string, places: readonly number[]) => {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1))), whole.length].sort((a, b) => a - b);
  return ends.map((end, n) => whole.slice(ends[n - 1] ?? 0, end)).filter((piece) => piece !== '');
};

describe('entries in pieces', () => {
  test('are put together by type and index, in the order in which they began', () => {
    expect(
      collect(
        [text(0, 'The')],
        [text(0, ' user')],
        [{ type: 'reasoning.summary', summary: 'a', index: 0 }, text(1, 'x')],
        [text(0, ' asks'), { type: 'reasoning.summary', summary: 'b', index: 0 }],
      ),
    ).toEqual([text(0, 'The user asks'), { type: 'reasoning.summary', summary: 'ab', index: 0 }, text(1, 'x')]);
  });

  test('accept later fields, and lose none to a null', () => {
    const parts = [text(0, 'a', { signature: null, id: 'r1' }), { type: 'reasoning.text', index: 0, signature: 's' }];
    const more = [{ type: 'reasoning.text', index: 0, signature: null, text: null, seen: 0 }];
    expect(collect(parts, more)).toEqual([{ ...text(0, 'a'), signature: 's', id: 'r1', seen: 0 }]);
  });

  test('without an index continue the latest entry of their type', () => {
    const piece = (type: string, fields: object) => ({ type, ...fields });
    expect(
      collect(
        [piece('a', { text: '1' })],
        [piece('a', { text: '2' })],
        [piece('b', { text: '3' })],
        [piece('a', { text: '4' })],
      ),
    ).toEqual([piece('a', { text: '12' }), piece('b', { text: '3' }), piece('a', { text: '4' })]);
  });

  test('that are sealed or have different ids are separate entries', () => {
    const sealed = (data: string, fields: object = {}) => ({ type: 'reasoning.encrypted', data, index: 0, ...fields });
    const all = [
      sealed('x'),
      sealed('y'),
      sealed('z', { id: 't1' }),
      text(0, 'a', { id: 'p' }),
      text(0, 'b', { id: 'q' }),
    ];
    expect(collect(...all.map((entry) => [entry]))).toEqual(all);
  });

  test('of unknown shape are kept unchanged', () => {
    expect(collect(['a', 1, null, ['b'], { __proto__x: 1 }])).toEqual(['a', 1, ['b'], { __proto__x: 1 }]);
    const odd: unknown = JSON.parse('{"__proto__":{"polluted":1},"index":0}');
    const [entry] = collect([odd]);
    expect(JSON.stringify(entry)).toBe('{"__proto__":{"polluted":1},"index":0}');
    expect(Object.getPrototypeOf(entry)).toBe(Object.prototype);
  });

  test('of any text add up to the text, however it was cut', () => {
    const anyWords = fc.array(fc.constantFrom('The', ' user', ' asks', 'ha', '\n', '. ', 'Ω😀'), { minLength: 2 });
    fc.assert(
      fc.property(anyWords, fc.array(fc.nat()), (words, places) => {
        // A repetitive text could be cut so that each piece begins with the one before it: it could be read either way.
        const whole = `${words.join('')}|end`;
        const pieces = ['>', ...cut(whole, places)];
        expect(collect(...pieces.map((piece) => [text(0, piece)]))).toEqual([text(0, `>${whole}`)]);
      }),
    );
  });
});

describe('entries that repeat earlier text', () => {
  test('have the last text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 80 }), fc.array(fc.nat()), (whole, places) => {
        const pieces = cut(whole, places);
        const snapshots = pieces.map((_, n) => pieces.slice(0, n + 1).join(''));
        expect(collect(...snapshots.map((piece) => [text(0, piece)]))).toEqual([text(0, whole)]);
      }),
    );
  });

  test('may end with the whole text again, and continue in pieces', () => {
    const whole = 'The user asks for a file.';
    expect(collect([text(0, whole)], [text(0, whole)])).toEqual([text(0, whole)]);
    expect(collect([text(0, whole)], [text(0, `${whole} So`)], [text(0, ' what')])).toEqual([
      text(0, `${whole} So what`),
    ]);
  });

  test('that are short and equal count as pieces', () => {
    expect(collect([text(0, 'ha')], [text(0, 'ha')])).toEqual([text(0, 'haha')]);
  });
});

test('never throw, and a single entry comes back unchanged', () => {
  fc.assert(fc.property(fc.array(fc.array(anyJson)), (frames) => void collect(...frames)));
  fc.assert(
    fc.property(plain(anyJson), (entry) => {
      expect(collect([entry])).toEqual(entry === null ? [] : [entry]);
    }),
  );
});
