import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../base/errors.ts';
import type { Frame } from '../../base/wire.ts';
import { ndjson } from './ndjson.ts';

function framesOf(...pieces: readonly Uint8Array[]): readonly Frame[] {
  const reader = ndjson.createReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

const readText = (text: string) => framesOf(Buffer.from(text));

describe('lines of JSON', () => {
  test('are one frame each, with any line ending, and blank lines are ignored', () => {
    expect(readText('{"a":1}\n\n  \r\n{"b":2}\r\n{"c":3}')).toEqual([
      { data: '{"a":1}' },
      { data: '{"b":2}' },
      { data: '{"c":3}' },
    ]);
    expect(framesOf()).toEqual([]);
  });

  test('are returned as soon as they are complete', () => {
    const reader = ndjson.createReader();
    expect(reader.push(Buffer.from('{"a":1}\n{"b"'))).toEqual([{ data: '{"a":1}' }]);
    expect(reader.push(Buffer.from(':2}\n'))).toEqual([{ data: '{"b":2}' }]);
    expect(reader.end()).toEqual([]);
  });

  test('may be cut at every byte', () => {
    const anyLines = fc.array(fc.jsonValue(), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyLines, fc.constantFrom('\n', '\r\n'), (values, end) => {
        const frames = values.map((value) => ({ data: JSON.stringify(value) }));
        const bytes = Buffer.from(frames.map(({ data }) => data + end).join(''));
        expect(framesOf(bytes)).toEqual(frames);
        expect(framesOf(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(frames);
        for (let at = 0; at <= bytes.length; at++) {
          expect(framesOf(bytes.subarray(0, at), bytes.subarray(at))).toEqual(frames);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('are read as the frames that were written', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.boolean(), (values, isSpaced) => {
        const frames = values.map((value) => ({ data: JSON.stringify(value, null, isSpaced ? 2 : 0) }));
        const read = readText(ndjson.write(frames));
        expect(read.map(({ data }) => JSON.parse(data))).toEqual(
          values.map((value) => JSON.parse(JSON.stringify(value))),
        );
      }),
    );
  });

  test('are rejected when one is too long, in one piece or many', () => {
    expect(() => ndjson.createReader(10).push(Buffer.from('{"a":"0123456789"}\n'))).toThrow(ModelError);
    const reader = ndjson.createReader(10);
    expect(() => {
      for (let n = 0; n < 11; n++) reader.push(Buffer.from('1'));
    }).toThrow(ModelError);
    const patient = ndjson.createReader(10);
    for (let n = 0; n < 20; n++) expect(patient.push(Buffer.from('{"a":1}\n'))).toHaveLength(1);
  });
});

describe('a value written over several lines', () => {
  test('is one frame, for all cuts', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value, null, 2));
        for (let at = 0; at <= bytes.length; at++) {
          const frames = framesOf(bytes.subarray(0, at), bytes.subarray(at));
          expect(frames.map(({ data }) => JSON.parse(data))).toEqual([JSON.parse(bytes.toString())]);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('is rejected when it is too long', () => {
    expect(() => ndjson.createReader(10).push(Buffer.from('{\n"a": 1,\n"b": 2\n}'))).toThrow(ModelError);
  });
});
