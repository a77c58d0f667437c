import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { callAnswer } from './call-answer.ts';
import { eventually } from './eventually.ts';
import { KEY, startGatewayProcess } from './gateway-process.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type ServerExchange, startModelServer } from './model-server.ts';
import { askThrough, nameOf, PAIRS, type Pair, pairIn } from './pairs.ts';

const STREAM = { 'content-type': 'text/event-stream' };
const JSON_BODY = { 'content-type': 'application/json' };
const PAGE = `<!DOCTYPE html><html><head><title>Sign in</title></head><body>${'<p>Please.</p>'.repeat(500)}</body></html>`;
const BINARY = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0xd, 0xff, 0xfe]);

type Answer = (response: ServerResponse, pair: Pair) => void;

function always(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): Answer {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

const NO_ANSWERS: Readonly<Record<string, Answer>> = {
  'random bytes as a stream': (response) => {
    response.writeHead(200, STREAM);
    response.end(randomBytes(100_000));
  },
  'random bytes': (response) => void response.end(randomBytes(100_000)),
  'bytes that are not UTF-8': always(
    200,
    STREAM,
    Buffer.from('data: \xff\xfe\xc0\n\ndata: {"\xed\xa0\x80"}\n\n', 'latin1'),
  ),
  'a picture': always(200, { 'content-type': 'image/png' }, BINARY),
  'a web page': always(200, { 'content-type': 'text/html; charset=utf-8' }, PAGE),
  'a web page called a stream': always(200, STREAM, PAGE),
  'a web page of a proxy': always(502, { 'content-type': 'text/html' }, PAGE),
  'an error that claims to be a success': always(200, JSON_BODY, '{"error":{"message":"out of memory","type":"oops"}}'),
  'an error in a stream': always(200, STREAM, 'data: {"error":{"message":"out of memory","code":500}}\n\n'),
  'an error that is a string': always(200, JSON_BODY, '{"error":"out of memory"}'),
  nothing: always(200, {}, ''),
  'nothing, as a stream': always(200, STREAM, ''),
  'nothing, as JSON': always(200, JSON_BODY, ''),
  'no content': always(204, {}, ''),
  'only keepalives': always(200, STREAM, ': ping\n\n'.repeat(1000)),
  'a plain word': always(200, { 'content-type': 'text/plain' }, 'OK'),
  'JSON that is not an object': always(200, JSON_BODY, '[null, 1]'),
  'an empty object': always(200, JSON_BODY, '{}'),
  'frames that are not objects': always(200, STREAM, 'data: 1\n\ndata: null\n\ndata: [2]\n\ndata: "x"\n\n'),
  'frames of something else': always(200, STREAM, 'event: tick\ndata: {"price":1}\n\n'.repeat(20)),
  'an answer in an unknown encoding': (response, pair) => {
    const { type, bytes } = callAnswer(pair);
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'zstd' });
    response.end(bytes);
  },
  'half of a body with a length': (response, pair) => {
    response.writeHead(200, { 'content-type': callAnswer(pair).type, 'content-length': '1000' });
    response.write('data: {"ch', () => response.socket?.destroy());
  },
  'no HTTP at all': ({ socket }) => void socket?.end('SSH-2.0-OpenSSH_9.7\r\n'),
  'two lengths': ({ socket }) =>
    void socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde'),
};

describe('an unusable answer is reported as a failure', () => {
  test('whatever it is', async () => {
    let current: Answer = () => {};
    const server = await startModelServer(({ response, body }) => current(response, pairIn(body)));
    const gateway = await startGatewayProcess({ server: server.url });
    for (const [name, answerOf] of Object.entries(NO_ANSWERS)) {
      current = answerOf;
      const before = gateway.exchanges().length;
      const ends = await Promise.all(
        PAIRS.map(async (pair) => {
          const answer = await askThrough(gateway, pair, nameOf(pair));
          const { end, calls, text } = judgeAnswer(pair, answer);
          expect(answer.text).not.toContain(KEY);
          return [nameOf(pair), end === 'refused' ? answer.status >= 400 : end === 'failed', calls, text];
        }),
      );
      expect(ends, name).toEqual(PAIRS.map((pair) => [nameOf(pair), true, [], '']));
      await eventually(() => gateway.exchanges().length - before).toBe(PAIRS.length);
      for (const { error } of gateway.exchanges().slice(before)) expect(error, name).toEqual(expect.any(String));
    }
    await gateway.stop();
  });

  test('an encoding that cannot be decoded is named', async () => {
    const server = await startModelServer(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'compress' });
      response.end('data: [DONE]\n\n');
    });
    const gateway = await startGatewayProcess({ server: server.url });
    for (const pair of PAIRS) {
      const answer = await askThrough(gateway, pair);
      expect(answer.status).toBe(502);
      // Errors of some wires have no code.
      expect(judgeAnswer(pair, answer).code ?? 'invalid_response').toBe('invalid_response');
      expect(judgeAnswer(pair, answer).message).toContain('compress');
    }
    expect(server.exchanges[0]?.headers['accept-encoding']).toBe('identity');
    await gateway.stop();
  });
});

test('an answer that is compressed, although that was not asked for, is understood', async () => {
  const server = await startModelServer(({ response, body }) => {
    const { type, bytes } = callAnswer(pairIn(body));
    response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip' });
    response.end(gzipSync(bytes));
  });
  const gateway = await startGatewayProcess({ server: server.url });
  for (const pair of PAIRS) {
    const { end, calls } = judgeAnswer(pair, await askThrough(gateway, pair, nameOf(pair)));
    expect([nameOf(pair), end, calls.length]).toEqual([nameOf(pair), 'completed', 2]);
  }
  await gateway.stop();
});

describe('a server that redirects', () => {
  test('is not followed', async () => {
    const elsewhere = await startModelServer(({ response }) => void response.end());
    let status = 0;
    const server = await startModelServer(({ response, path }) => {
      response.writeHead(status, { location: elsewhere.url.replace('/v1', path) });
      response.end();
    });
    const gateway = await startGatewayProcess({ server: server.url });
    for (status of [301, 302, 303, 307, 308]) {
      for (const pair of PAIRS) {
        const answer = await askThrough(gateway, pair);
        expect([status, answer.status]).toEqual([status, 502]);
        expect(judgeAnswer(pair, answer).message).toContain(elsewhere.url);
        expect(answer.headers.location).toBeUndefined();
      }
    }
    const isShown = ({ headers }: ServerExchange) =>
      headers.authorization === `Bearer ${KEY}` || headers['x-api-key'] === KEY;
    expect(server.exchanges.every(isShown)).toBe(true);
    expect([elsewhere.exchanges.length, elsewhere.connections()]).toEqual([0, 0]);
    await gateway.stop();
  });
});

describe('an endless head', () => {
  /** Writes the same bytes again and again until the connection is closed. */
  const repeating =
    (text: (n: number) => string, everyMs: number): Answer =>
    ({ socket }) => {
      let n = 0;
      const timer = setInterval(() => socket?.write(text(n++)), everyMs);
      socket?.once('close', () => clearInterval(timer));
    };
  const OK = 'HTTP/1.1 200 OK\r\n';
  const HEADS: Readonly<Record<string, readonly [Answer, status: number]>> = {
    'of many fields': [repeating((n) => `${n === 0 ? OK : ''}x-${n}: ${'y'.repeat(4000)}\r\n`, 1), 502],
    'that comes slowly': [repeating((n) => `${n === 0 ? OK : ''}x-${n}: y\r\n`, 50), 504],
    'of hints only': [repeating(() => 'HTTP/1.1 103 Early Hints\r\n\r\n', 50), 504],
  };

  test.each(Object.keys(HEADS))('%s is given up', async (name) => {
    const [answer, status] = HEADS[name] ?? [() => {}, 0];
    const server = await startModelServer(({ response, body }) => answer(response, pairIn(body)));
    const gateway = await startGatewayProcess({ server: server.url, gateway: { max_exchange_ms: 800 } });
    const answers = await Promise.all(PAIRS.map((pair) => askThrough(gateway, pair, nameOf(pair))));
    expect(answers.map((one, n) => [one.status, PAIRS[n] && judgeAnswer(PAIRS[n], one).end])).toEqual(
      PAIRS.map(() => [status, 'refused']),
    );
    await eventually(() => server.connections()).toBe(0);
    await gateway.stop();
  });
});
