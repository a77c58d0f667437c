import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_DEPTH } from '../limits.ts';
import { Cursor } from './cursor.ts';

describe('a cursor', () => {
  test('reads a literal and waits only while the text may become it', () => {
    const cursor = new Cursor();
    const taking = cursor.take('<call>');
    cursor.feed('<ca');
    expect(taking.next().done).toBe(false);
    cursor.feed('ll>x');
    expect(taking.next().value).toBe(true);
    expect([cursor.rest, cursor.position, cursor.text]).toEqual(['x', 6, '<call>x']);
    expect(cursor.take('y').next()).toEqual({ done: true, value: false });
  });

  test('looks ahead without reading', () => {
    expect(read('abc', (cursor) => cursor.ahead(2))).toEqual(['ab', 'abc']);
    expect(read('a', (cursor) => cursor.ahead(2))).toEqual(['a', 'a']);
    expect(read('', (cursor) => cursor.peek())).toEqual([undefined, '']);
  });

  test('reads up to a literal', () => {
    expect(read('a</b>c', (cursor) => cursor.until('</b>'))).toEqual(['a', 'c']);
    expect(read('a</b', (cursor) => cursor.until('</b>'))).toEqual([undefined, '']);
  });

  test.each([
    ['{"a": {"b": "}"}} x', '{"a": {"b": "}"}}'],
    ['[1, [2]]]', '[1, [2]]'],
    ['{"a": "\\"}"}', '{"a": "\\"}"}'],
    ['{"a": 1<', '{"a": 1'],
    ['{"a": "', '{"a": "'],
    ['}', ''],
    ['x', ''],
    ['"a"', ''],
    [`${'['.repeat(MAX_DEPTH + 9)}`, '['.repeat(MAX_DEPTH)],
  ])('takes the JSON of %j', (text, json) => {
    expect(read(text, (cursor) => cursor.json())).toEqual([json, text.slice(json.length)]);
  });

  test('reads the same however the text is cut', () => {
    const texts = fc.string({ unit: fc.constantFrom(...'{}[]",:\\ a1<\n') });
    fc.assert(
      fc.property(texts, (text) => {
        for (const reader of [json, spaced]) expect(read(text, reader)).toEqual(readWhole(text, reader));
      }),
    );
  });
});

type Reader = (cursor: Cursor) => Generator<void, unknown, void>;

const json: Reader = (cursor) => cursor.json();

function* spaced(cursor: Cursor): Generator<void, unknown, void> {
  yield* cursor.space();
  const word = yield* cursor.while((code) => code === 0x61);
  return [word, yield* cursor.take('{"'), yield* cursor.until('a1')];
}

/** Returns the result of a reader whose text arrives character by character, and the rest of the text. */
function read(text: string, reader: Reader): [value: unknown, rest: string] {
  return readPieces([...text], reader);
}

function readWhole(text: string, reader: Reader): [value: unknown, rest: string] {
  return readPieces([text], reader);
}

function readPieces(pieces: readonly string[], reader: Reader): [value: unknown, rest: string] {
  const cursor = new Cursor();
  const reading = reader(cursor);
  let step = reading.next();
  for (const piece of pieces) {
    cursor.feed(piece);
    if (step.done !== true) step = reading.next();
  }
  cursor.end();
  if (step.done !== true) step = reading.next();
  return [step.value, cursor.rest];
}
