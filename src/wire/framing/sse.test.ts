import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../base/errors.ts';
import type { Frame } from '../../base/wire.ts';
import { sse } from './sse.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function framesOf(...chunks: readonly Uint8Array[]): Frame[] {
  const read = (pieces: readonly Uint8Array[]) => {
    const reader = sse.createReader();
    return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  };
  const frames = read(chunks);
  // A Buffer is decoded in a different way.
  expect(read(chunks.map((chunk) => Buffer.from(chunk)))).toEqual(frames);
  return frames;
}

describe('the reader of event streams', () => {
  test('returns the event name and the data of each frame', () => {
    expect(framesOf(bytes('event: a\ndata: {"x":1}\n\ndata: [DONE]\n\n'))).toEqual([
      { event: 'a', data: '{"x":1}' },
      { data: '[DONE]' },
    ]);
  });

  test('joins several data lines and accepts a missing space after the colon', () => {
    expect(framesOf(bytes('data:one\ndata: two\n\n'))).toEqual([{ data: 'one\ntwo' }]);
  });

  test('ignores comments, ids, retry lines and unknown fields', () => {
    const text = ': keepalive\n\nid: 7\nretry: 10\nretry: soon\nnonsense\nfoo: bar\ndata: x\n\n: ping\n';
    expect(framesOf(bytes(text))).toEqual([{ data: 'x' }]);
  });

  test('returns an object in the field error as the data of a frame', () => {
    const text =
      'data: x\n\nerror: {"code":400,"message":"Too long"}\n\nerror: {"error":"no"}\nerror: soon\n\ndata: y\n\n';
    const frames = ['x', '{"error":{"code":400,"message":"Too long"}}', '{"error":"no"}', 'y'].map((data) => ({
      data,
    }));
    expect(framesOf(bytes(text))).toEqual(frames);
    expect(framesOf(...Array.from(text, bytes))).toEqual(frames);
  });

  test('drops a byte order mark', () => {
    expect(framesOf(Uint8Array.of(0xef, 0xbb, 0xbf), bytes('data: x\n\n'))).toEqual([{ data: 'x' }]);
  });

  test('replaces bytes that are not UTF-8 and continues', () => {
    const broken = Uint8Array.of(...bytes('data: a'), 0xff, 0xc3, ...bytes('b\n\ndata: c\n\n'));
    expect(framesOf(broken)).toEqual([{ data: 'a\uFFFD\uFFFDb' }, { data: 'c' }]);
  });

  test('returns the last frame of a body that ends without a blank line', () => {
    expect(framesOf(bytes('data: x\n\ndata: [DONE]'))).toEqual([{ data: 'x' }, { data: '[DONE]' }]);
    expect(framesOf(bytes('data: x\r'))).toEqual([{ data: 'x' }]);
    expect(framesOf()).toEqual([]);
  });

  test('returns the same frames for all cuts and all line endings', () => {
    const value = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, ' '));
    const stream = fc.array(fc.record({ event: value, data: fc.array(value, { minLength: 1, maxLength: 3 }) }));
    fc.assert(
      fc.property(
        stream,
        fc.constantFrom('\n', '\r\n'),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (list, eol, sizes) => {
          const text = list
            .map(({ event, data }) => [`event: ${event}`, ...data.map((line) => `data: ${line}`), '', ''].join(eol))
            .join('');
          const expected = list.map(({ event, data }) => ({ ...(event !== '' && { event }), data: data.join('\n') }));
          expect(framesOf(...cut(bytes(text), sizes))).toEqual(expected);
        },
      ),
    );
  });

  test('reads bytes that are not UTF-8 the same for all cuts', () => {
    const byte = fc.oneof(fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xe2, 0xf0, 0xff), fc.integer({ min: 14, max: 255 }));
    fc.assert(
      fc.property(fc.array(byte), fc.infiniteStream(fc.integer({ min: 1, max: 4 })), (data, sizes) => {
        const all = Uint8Array.of(...bytes('data: x'), ...data, ...bytes('\n\n'));
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(data));
        expect(framesOf(...cut(all, sizes))).toEqual([{ data: `x${text}` }]);
      }),
    );
  });

  test('reads a line of ten megabytes in pieces of a kilobyte', () => {
    const data = 'x'.repeat(10 * 1024 * 1024);
    const whole = bytes(`data: ${data}\n\n`);
    const pieces = Array.from({ length: Math.ceil(whole.length / 1024) }, (_, at) =>
      whole.subarray(at * 1024, (at + 1) * 1024),
    );
    const frames = framesOf(...pieces);
    expect(frames.length).toBe(1);
    expect(frames[0]?.data === data).toBe(true);
  });

  test('rejects a frame that is too long, in one line or many, in one chunk or many', () => {
    const inPieces = sse.createReader(100);
    inPieces.push(bytes('data: '));
    expect(() => {
      for (let i = 0; i < 20; i++) inPieces.push(bytes('0123456789'));
    }).toThrow(ModelError);
    const inLines = sse.createReader(100);
    expect(() => {
      for (let i = 0; i < 20; i++) inLines.push(bytes('data: 0123456789\n'));
    }).toThrow(/more than 100 characters/);
    expect(() => sse.createReader(100).push(bytes(`data: ${'x'.repeat(101)}\n\n`))).toThrow(/more than 100 characters/);
  });

  test('accepts a stream of any total length', () => {
    const reader = sse.createReader(100);
    for (let i = 0; i < 100; i++) expect(reader.push(bytes(`data: ${'x'.repeat(90)}\n\n`)).length).toBe(1);
  });
});

function* cut(whole: Uint8Array, sizes: Iterator<number>): Generator<Uint8Array> {
  for (let at = 0; at < whole.length; ) {
    const size: number = sizes.next().value ?? 1;
    yield whole.subarray(at, at + size);
    at += size;
  }
}

describe('a body that is not a stream', () => {
  test('is one frame, returned when it is complete', () => {
    const reader = sse.createReader();
    expect(reader.push(bytes(' \n {"choices":\n\n'))).toEqual([]);
    expect(reader.push(bytes('[]}\n'))).toEqual([]);
    expect(reader.end()).toEqual([{ data: '{"choices":\n\n[]}' }]);
  });

  test('is rejected when it is too long', () => {
    const reader = sse.createReader(10);
    expect(() => reader.push(bytes('{"a":"0123456789"}'))).toThrow(ModelError);
  });

  test('is recognised by its first character, for all cuts', () => {
    expect(framesOf(bytes('\n'), bytes(' '), bytes('\n'), bytes('{'), bytes('}'))).toEqual([{ data: '{}' }]);
    expect(framesOf(bytes('\n'), bytes('data: {}\n\n'))).toEqual([{ data: '{}' }]);
  });
});

describe('event streams as text', () => {
  test('are read as the frames that were written', () => {
    const word = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\0]/g, ' ').trim() || 'x');
    const anyFrame = fc.record({
      event: word,
      data: fc.array(word, { minLength: 1 }).map((lines) => lines.join('\n')),
    });
    fc.assert(
      fc.property(fc.array(anyFrame), (frames) => {
        expect(framesOf(bytes(sse.write(frames)))).toEqual(frames);
      }),
    );
  });

  test('have a ping that is a comment of one line', () => {
    expect(sse.ping).toMatch(/^:[^\n]*\n$/);
    expect(framesOf(bytes(`data: a\n\n${sse.ping}data: b\n\n`))).toEqual([{ data: 'a' }, { data: 'b' }]);
  });
});
