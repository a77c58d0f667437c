import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpSyntaxError } from './http-syntax-error.ts';
import { HttpMessageReader, type MessageParts } from './message-reader.ts';
import { createHeadReader, type ReadHead } from './read-head.ts';

interface Seen {
  status: number | undefined;
  headers: ReadHead['headers'] | undefined;
  body: string;
  /** How the response ended; undefined if it did not end. */
  end: 'kept' | 'closed' | undefined;
  error: string | undefined;
}

/** Returns the parts of one response that comes in these pieces. */
function seenIn(pieces: readonly string[], isClosed = false): Seen {
  const seen: Seen = { status: undefined, headers: undefined, body: '', end: undefined, error: undefined };
  const parts: MessageParts<ReadHead> = {
    head({ status, headers }) {
      seen.status = status;
      seen.headers = headers;
    },
    body(bytes) {
      seen.body += Buffer.from(bytes).toString('latin1');
    },
    end(isKept) {
      expect(seen.end).toBeUndefined();
      seen.end = isKept ? 'kept' : 'closed';
    },
  };
  const reader = new HttpMessageReader(parts, createHeadReader());
  reader.next();
  try {
    for (const piece of pieces) {
      if (reader.push(Buffer.from(piece, 'latin1')) !== undefined) seen.error = 'bytes follow the end';
    }
    if (isClosed) reader.close();
  } catch (error) {
    if (!(error instanceof HttpSyntaxError)) throw error;
    seen.error = error.message;
  }
  return seen;
}

const HEAD = 'HTTP/1.1 200 OK\r\n';

describe('a response', () => {
  test('with a length', () => {
    expect(seenIn([`${HEAD}Content-Length: 5\r\nX-A:  b \r\n\r\nhello`])).toEqual({
      status: 200,
      headers: { 'content-length': '5', 'x-a': 'b' },
      body: 'hello',
      end: 'kept',
      error: undefined,
    });
    expect(seenIn([`${HEAD}content-length: 0\r\n\r\n`])).toMatchObject({ body: '', end: 'kept' });
    expect(seenIn([`${HEAD}content-length: 5\r\n\r\nhel`])).toMatchObject({ body: 'hel', end: undefined });
  });

  test('in chunks, with extensions and trailers', () => {
    const text = `${HEAD}transfer-encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n00A \r\n0123456789\r\n0\r\nx: y\r\n\r\n`;
    expect(seenIn([text])).toMatchObject({ body: 'abc0123456789', end: 'kept', error: undefined });
  });

  test('in chunks whose sizes have leading zeros, by a server that names the coding twice', () => {
    const text = `${HEAD}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`;
    expect(seenIn([`${text}${'0'.repeat(20)}2\r\nab\r\n0\r\n\r\n`])).toMatchObject({ body: 'ab', end: 'kept' });
  });

  test('after stray line breaks', () => {
    expect(seenIn([`\r\n\n${HEAD}content-length: 1\r\n\r\na`])).toMatchObject({ status: 200, body: 'a', end: 'kept' });
    expect(seenIn(['\r', '\n', `${HEAD}content-length: 1\r\n\r\na`])).toMatchObject({ status: 200, body: 'a' });
  });

  test('whose head has line feeds alone', () => {
    const text = 'HTTP/1.1 200 OK\nA: b\n c\nContent-Length: 2\n\nab';
    const seen = { status: 200, headers: { a: 'b c', 'content-length': '2' }, body: 'ab', end: 'kept' };
    expect(seenIn([text])).toMatchObject(seen);
    expect(seenIn([...text])).toMatchObject(seen);
  });

  test('with folded lines', () => {
    const text = `${HEAD}a: b\r\n  c\r\n\td\r\nContent-Length:\r\n 2\r\n\r\nab`;
    expect(seenIn([text])).toMatchObject({ headers: { a: 'b c d', 'content-length': '2' }, body: 'ab', end: 'kept' });
    const chunked = `${HEAD}transfer-encoding:\r\n chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`;
    expect(seenIn([chunked])).toMatchObject({ body: 'ab', end: 'kept' });
  });

  test('whose length has leading zeros', () => {
    expect(seenIn([`${HEAD}content-length: ${'0'.repeat(20)}2\r\n\r\nab`])).toMatchObject({ body: 'ab', end: 'kept' });
  });

  test('with values that lose only the blanks and tabs around them', () => {
    expect(seenIn([`${HEAD}a: \t\xa0x\xa0 \t\r\ncontent-length: 0\r\n\r\n`]).headers).toMatchObject({ a: '\xa0x\xa0' });
  });

  test('that ends with its connection', () => {
    expect(seenIn([`${HEAD}\r\nhello`])).toMatchObject({ body: 'hello', end: undefined });
    expect(seenIn([`${HEAD}\r\nhello`], true)).toMatchObject({ body: 'hello', end: 'closed', error: undefined });
  });

  test('without a body', () => {
    expect(seenIn(['HTTP/1.1 204 No Content\r\n\r\n'])).toMatchObject({ status: 204, body: '', end: 'kept' });
    expect(seenIn(['HTTP/1.1 304\r\ncontent-length: 9\r\n\r\n'])).toMatchObject({ status: 304, end: 'kept' });
  });

  test('after heads that only announce it', () => {
    const text = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${HEAD}content-length: 1\r\n\r\na`;
    expect(seenIn([text])).toMatchObject({ status: 200, headers: { 'content-length': '1' }, body: 'a', end: 'kept' });
  });

  test('after which the connection must not be reused', () => {
    const endOf = (head: string) => seenIn([`${head}content-length: 1\r\n\r\na`]).end;
    expect(endOf(`${HEAD}Connection: Close\r\n`)).toBe('closed');
    expect(endOf('HTTP/1.0 200 OK\r\n')).toBe('closed');
    expect(endOf('HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n')).toBe('kept');
    expect(seenIn([`${HEAD}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`]).end).toBe('closed');
  });

  test('with repeated headers', () => {
    const text =
      'a: 1\r\na: 2\r\nset-cookie: x\r\nset-cookie: y\r\ncontent-type: p\r\ncontent-type: q\r\nconstructor: c\r\ncookie: m\r\ncookie: n\r\ndate: 1\r\ndate: 2\r\nage: 3\r\nage: 4\r\n';
    expect(seenIn([`${HEAD}${text}content-length: 0\r\ncontent-length: 0\r\n\r\n`]).headers).toEqual({
      a: '1, 2',
      'set-cookie': ['x', 'y'],
      'content-type': 'p',
      'content-length': '0',
      constructor: 'c',
      cookie: 'm; n',
      date: '1, 2',
      age: '3',
    });
  });
});

describe('bytes that are not a response', () => {
  const errorOf = (...pieces: string[]) => seenIn(pieces).error;

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n', 'does not speak HTTP'],
    ['another version', 'HTTP/2 200 OK\r\n\r\n', 'does not speak HTTP'],
    ['an invalid status', 'HTTP/1.1 20 OK\r\n\r\n', 'does not speak HTTP'],
    ['a change of protocol', 'HTTP/1.1 101 Switching\r\n\r\n', 'another protocol'],
    ['a line without a name', `${HEAD}nonsense\r\n\r\n`, 'without a name'],
    ['a name with a blank', `${HEAD}a b: c\r\n\r\n`, 'without a name'],
    ['a folded line after the status', `${HEAD} c\r\na: b\r\n\r\n`, 'without a name'],
    ['a line feed alone after the status only', `HTTP/1.1 200 OK\na: 1\r\n\r\n`, 'does not end as HTTP wants'],
    ['a carriage return alone after the status', `HTTP/1.1 200 O\rK\r\n\r\n`, 'does not end as HTTP wants'],
    ['a line feed alone in a head that goes on', `${HEAD}a: b\ncontent-length: 1`, 'does not end as HTTP wants'],
    ['a line feed in a value', `${HEAD}a: b\ncontent-length: 1\r\n\r\n`, 'a character that HTTP does not allow'],
    ['a carriage return in a value', `${HEAD}a: b\rc\r\n\r\n`, 'a character that HTTP does not allow'],
    ['a control character in a value', `${HEAD}a: b\x00c\r\n\r\n`, 'a character that HTTP does not allow'],
    [
      'a length that is not a number where there is no body',
      'HTTP/1.1 204\r\ncontent-length: a\r\n\r\n',
      'not a number',
    ],
    ['two lengths', `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 'two lengths'],
    ['a length that is not a number', `${HEAD}content-length: -1\r\n\r\n`, 'not a number'],
    ['an unknown coding', `${HEAD}transfer-encoding: gzip, chunked\r\n\r\n`, 'gzip, chunked'],
    ['a head without an end', `HTTP/1.1 200 OK\r\na: ${'x'.repeat(70_000)}`, 'longer than 64 kB'],
    ['more than was asked', `${HEAD}content-length: 1\r\n\r\nab`, 'bytes follow the end'],
  ])('%s', (_, text, said) => {
    expect(errorOf(text)).toContain(said);
  });

  test.each([
    ['x\r\n', 'not a number'],
    ['\r\n', 'not a number'],
    ['3x\r\n', 'not a number'],
    [`${'1'.repeat(14)}\r\n`, 'not a number'],
    ['1\r\nab\r\n', 'longer than it says'],
    ['1\na\r\n', 'does not end as HTTP wants'],
    ['\n', 'does not end as HTTP wants'],
    ['1;a=\x01\r\n', 'not a number'],
    ['0\n\r\n', 'does not end as HTTP wants'],
    ['0\r\n\n', 'does not end as HTTP wants'],
    ['0\r\nnonsense\r\n\r\n', 'without a name'],
    ['0\r\na: b\n\r\n', 'does not end as HTTP wants'],
    ['0\r\na: \x01\r\n\r\n', 'a character that HTTP does not allow'],
    [`1;${'a'.repeat(20_000)}`, 'too long'],
  ])('a chunk that begins with %j', (chunk, said) => {
    expect(errorOf(`${HEAD}transfer-encoding: chunked\r\n\r\n${chunk}`)).toContain(said);
  });

  test('a connection that ends too early', () => {
    for (const text of [
      '',
      HEAD,
      `${HEAD}content-length: 1\r\n\r\n`,
      `${HEAD}transfer-encoding: chunked\r\n\r\n1\r\na\r\n`,
    ]) {
      expect(seenIn([text], true).error).toBe('the connection was closed');
    }
  });
});

/** Cuts a text at some places. */
function cut(text: string, places: readonly number[]): readonly string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, n) => text.slice(from, at[n]));
}

const body = fc.array(fc.string({ minLength: 1, unit: 'binary' }).map((text) => Buffer.from(text).toString('latin1')));

test('the cuts of the bytes make no difference, and no part of the body is lost', () => {
  const framings = fc.constantFrom('chunked', 'length', 'close');
  fc.assert(
    fc.property(body, framings, fc.array(fc.nat()), (pieces, framing, places) => {
      const whole = pieces.join('');
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
      const text = {
        chunked: `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
        length: `${HEAD}Content-Length: ${whole.length}\r\n\r\n${whole}`,
        close: `${HEAD}\r\n${whole}`,
      }[framing];
      const seen = seenIn(cut(text, places), framing === 'close');
      expect(seen).toEqual(seenIn([text], framing === 'close'));
      expect(seen).toMatchObject({ status: 200, body: whole, end: framing === 'close' ? 'closed' : 'kept' });
    }),
  );
});

test('any bytes are a response or an HttpSyntaxError', () => {
  const words = [
    'HTTP/1.1 ',
    '200',
    ' ',
    '\r\n',
    '\n',
    '\r',
    ':',
    'content-length',
    'transfer-encoding: chunked',
    '5',
    '0',
    ';',
    'x',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary' }))).map((all) => all.join(''));
  fc.assert(
    fc.property(
      text,
      fc.array(fc.nat()),
      fc.boolean(),
      (some, places, isClosed) => void seenIn(cut(some, places), isClosed),
    ),
  );
});
