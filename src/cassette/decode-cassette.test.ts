import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { UserError } from '../base/errors.ts';
import type { Cassette, RecordedExchange } from './cassette.ts';
import { decodeCassette } from './decode-cassette.ts';
import { encodeCassette } from './encode-cassette.ts';
import { chunkLine, encodeLine } from './encode-line.ts';

/** Returns the text of a cassette as version 1 wrote it. */
function encodeFirstVersion({ recordedAt, oxbow, exchanges }: Cassette): string {
  return [
    `${JSON.stringify({ cassette: 1, recorded_at: recordedAt, oxbow })}\n`,
    ...exchanges.flatMap(({ request, response, chunks, ms, error }, index) => {
      const n = index + 1;
      return [
        encodeLine({ type: 'request', n, ...request }),
        ...(response ? [encodeLine({ type: 'response', n, ...response })] : []),
        ...chunks.map((chunk) => encodeLine(chunkLine(n, chunk))),
        encodeLine({ type: 'end', n, ms, ...(error === null ? {} : { error }) }),
      ];
    }),
  ].join('');
}

const plainJson = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
/** Bodies with long parts that repeat, and with values that look like references. */
const anyBody = fc.oneof(
  plainJson,
  fc
    .record({
      instructions: fc.constantFrom('a'.repeat(300), 'short', ''),
      input: fc.array(
        fc.oneof(
          plainJson,
          fc.constantFrom<unknown>({ $part: 1 }, { $part: 9 }, { $part: 1, more: 1 }, { text: 'b'.repeat(250) }),
        ),
      ),
      other: fc.oneof(plainJson, fc.constantFrom<unknown>({ $part: 2 }, [{ $part: 1 }], [[{ $part: 1 }]])),
    })
    .map((body) => body as unknown),
);
const anyHeaders = fc.dictionary(
  fc.string().filter((name) => name !== '__proto__'),
  fc.oneof(fc.string(), fc.array(fc.string())),
);
const anyChunk = fc.record({
  ms: fc.nat(),
  bytes: fc.oneof(
    fc.uint8Array(),
    fc.string().map((t) => Buffer.from(t)),
  ),
});
const answered: fc.Arbitrary<RecordedExchange> = fc.record({
  request: fc.record({ method: fc.string(), url: fc.string(), headers: anyHeaders, body: anyBody }),
  response: fc.record({ status: fc.integer({ min: 100, max: 999 }), headers: anyHeaders }),
  chunks: fc.array(anyChunk),
  ms: fc.nat(),
  error: fc.option(fc.string()),
});
const anyExchange = fc.oneof(
  answered,
  fc.tuple(answered, fc.string()).map(([exchange, error]) => ({ ...exchange, response: null, chunks: [], error })),
);
const anyCassette = fc.record({ recordedAt: fc.string(), oxbow: fc.string(), exchanges: fc.array(anyExchange) });

/** Converts all bytes to one class, so that they compare. */
const comparable = (cassette: Cassette) => ({
  ...cassette,
  exchanges: cassette.exchanges.map((exchange) => ({
    ...exchange,
    chunks: exchange.chunks.map(({ ms, bytes }) => ({ ms, bytes: [...bytes] })),
  })),
});

const LINES = [
  '{"cassette":1,"recorded_at":"2026-01-01T00:00:00.000Z","oxbow":"0.1.0"}',
  '{"type":"request","n":1,"method":"POST","url":"http://host","headers":{},"body":{"model":"m"}}',
  '{"type":"response","n":1,"status":200,"headers":{}}',
  '{"type":"chunk","n":1,"ms":5,"text":"Grüße"}',
  '{"type":"end","n":1,"ms":6}',
];
const withLine = (index: number, line: string) => `${LINES.with(index, line).join('\n')}\n`;

describe('a cassette', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(anyCassette, (cassette) => {
        expect(comparable(decodeCassette(encodeCassette(cassette)))).toEqual(comparable(cassette));
      }),
    );
  });

  test('of an earlier version is still read', () => {
    fc.assert(
      fc.property(anyCassette, (cassette) => {
        expect(comparable(decodeCassette(encodeFirstVersion(cassette)))).toEqual(comparable(cassette));
      }),
    );
  });

  test('has long parts of requests once', () => {
    const long = 'instruction '.repeat(100);
    const request = (...input: unknown[]) => ({
      request: { method: 'POST', url: 'http://host', headers: {}, body: { model: 'm', instructions: long, input } },
      response: { status: 200, headers: {} },
      chunks: [],
      ms: 0,
      error: null,
    });
    const item = { role: 'user', content: 'question '.repeat(100) };
    const text = encodeCassette({ recordedAt: '', oxbow: '', exchanges: [request(item), request(item, 'next')] });
    expect(text.split(long)).toHaveLength(2);
    expect(text.split(item.content)).toHaveLength(2);
    expect(text).toContain('"body":{"model":"m","instructions":{"$part":1},"input":[{"$part":2},"next"]}');
  });

  test('keeps bytes that are not text', () => {
    const bytes = new TextEncoder().encode('ü');
    expect(encodeLine(chunkLine(1, { ms: 0, bytes }))).toBe('{"type":"chunk","n":1,"ms":0,"text":"ü"}\n');
    expect(encodeLine(chunkLine(1, { ms: 0, bytes: bytes.subarray(0, 1) }))).toBe(
      '{"type":"chunk","n":1,"ms":0,"base64":"ww=="}\n',
    );
  });

  test('may have been edited: blank lines, different line breaks, a byte order mark', () => {
    const { exchanges } = decodeCassette(`\ufeff${LINES.join('\r\n\r\n')}`);
    expect(exchanges).toMatchObject([{ response: { status: 200 }, ms: 6, error: null }]);
  });

  test('may have concurrent exchanges', () => {
    const second = LINES.slice(1).map((line) => line.replace('"n":1', '"n":2').replace('Grüße', 'two'));
    const mixed = LINES.slice(1).flatMap((line, index) => [second[index] ?? '', line]);
    const { exchanges } = decodeCassette([LINES[0], ...mixed].join('\n'));
    expect(exchanges.map(({ chunks }) => chunks.map(({ bytes }) => Buffer.from(bytes).toString()))).toEqual([
      ['two'],
      ['Grüße'],
    ]);
  });
});

describe('a recording that was cut off', () => {
  test('is read up to the cut, at any position', () => {
    const text = `${LINES.join('\n')}\n`;
    const end = LINES.slice(0, 4).join('\n').length;
    for (let length = (LINES[0] ?? '').length; length < text.length; length++) {
      const { exchanges } = decodeCassette(text.slice(0, length));
      const whole = length >= text.length - 1;
      if (length > end) expect(exchanges).toMatchObject([{ error: whole ? null : 'recording stopped' }]);
    }
  });

  test('in the middle of its first line is not a cassette', () => {
    expect(() => decodeCassette((LINES[0] ?? '').slice(0, -1))).toThrow('This is not a cassette: its first line');
  });
});

describe('any other fault is reported with its line', () => {
  test.each([
    [1, '{"type":"request"', 'Line 2 of the cassette is not a JSON object.'],
    [2, '[]', 'Line 3 of the cassette is not a JSON object.'],
    [1, '{"type":"request","n":1}', 'Line 2 of the cassette: it has no "body".'],
    [
      1,
      '{"type":"request","n":1,"method":"POST","url":1,"headers":{},"body":1}',
      'Line 2 of the cassette: its "url" is not a string.',
    ],
    [2, '{"type":"response","status":200}', 'Line 3 of the cassette: its "n" is not a number.'],
    [
      2,
      '{"type":"response","n":1,"status":20,"headers":{}}',
      'Line 3 of the cassette: its "status" 20 is not an HTTP status.',
    ],
    [
      2,
      '{"type":"response","n":1,"status":200,"headers":{"a":1}}',
      'Line 3 of the cassette: the header "a" is not a string or a list of strings.',
    ],
    [2, '{"type":"response","n":2}', 'Line 3 of the cassette: there is no request 2 before it.'],
    [2, LINES[1] ?? '', 'Line 3 of the cassette: there is a request 1 before it.'],
    [2, LINES[3] ?? '', 'Line 3 of the cassette: there is no response 1 before this chunk of it.'],
    [2, LINES[4] ?? '', 'Line 3 of the cassette: exchange 1 ends with neither a response nor an "error".'],
    [3, LINES[2] ?? '', 'Line 4 of the cassette: exchange 1 already has a response.'],
    [3, LINES[4] ?? '', 'Line 5 of the cassette: exchange 1 has already ended.'],
    [3, '{"type":"chunk","n":1,"ms":5}', 'Line 4 of the cassette: a chunk has either "text" or "base64".'],
    [3, '{"type":"chunk","n":1,"ms":5,"base64":"%"}', 'Line 4 of the cassette: its "base64" is not base64.'],
    [3, '{"type":"note","n":1}', 'Line 4 of the cassette: its "type" is "note", not request, response, chunk or end.'],
    [0, '{"cassette":3}', 'The cassette has the version 3; this program reads version 1 and 2.'],
    [0, '{}', 'This is not a cassette: its first line has no "cassette" field.'],
    [0, 'hello', 'This is not a cassette: its first line is not a JSON object.'],
  ])('line index %i: %s', (index, line, message) => {
    expect(() => decodeCassette(withLine(index, line))).toThrow(
      expect.objectContaining({ name: 'UserError', message }),
    );
  });

  test.each([
    [
      '{"type":"request","n":1,"method":"POST","url":"","headers":{},"body":{"input":[{"$part":7}]}}',
      'Line 2 of the cassette: there is no part 7 before it.',
    ],
    ['{"type":"part","id":1}', 'Line 2 of the cassette: it has no "value".'],
    ['{"type":"part","value":1}', 'Line 2 of the cassette: its "id" is not a number.'],
  ])('a file with parts: %s', (line, message) => {
    expect(() => decodeCassette(`{"cassette":2}\n${line}\n`)).toThrow(message);
  });

  test('an empty text is not a cassette', () => {
    expect(() => decodeCassette(' \n')).toThrow('This is not a cassette: it is empty.');
  });
});

test('any text is a cassette or a UserError', () => {
  const anyField = fc.record(
    {
      type: fc.constantFrom('request', 'response', 'chunk', 'end', 'other', 1),
      n: fc.constantFrom(1, 2, -1, '1', null),
      ms: fc.constantFrom(1, '1'),
      method: fc.constantFrom('POST', 1),
      url: fc.constantFrom('u', 1),
      headers: fc.constantFrom({}, { a: 'b' }, { a: 1 }, null, []),
      body: fc.constantFrom('b', null),
      status: fc.constantFrom(200, 1.5, 'x'),
      text: fc.constantFrom('t', 1),
      base64: fc.constantFrom('YQ==', '=', 1),
      error: fc.constantFrom('e', null),
    },
    { requiredKeys: [] },
  );
  const anyLine = fc.oneof(
    fc.constantFrom(...LINES),
    anyField.map((value) => JSON.stringify(value)),
    fc.json(),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(anyLine), fc.boolean(), (lines, headed) => {
      try {
        decodeCassette((headed ? [LINES[0], ...lines] : lines).join('\n'));
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
      }
    }),
    { numRuns: runs(2000) },
  );
});
