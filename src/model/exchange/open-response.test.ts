import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ModelNotice } from '../create-model.ts';
import {
  ask,
  COMPLETED,
  failure,
  frame,
  REQUEST,
  sendJson,
  sendStream,
  startServer,
  testModel,
  testWorld,
} from '../test-loopback.ts';

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Returns a port that no server listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the request layer', () => {
  test('retries a failing server with growing waits, then gives up', async () => {
    const server = await startServer((response) => sendJson(response, 502, { error: { message: 'down' } }));
    const world = testWorld();
    const notices: ModelNotice[] = [];
    const error = await failure(testModel(server.url, {}, { world, onNotice: (notice) => notices.push(notice) }));
    expect(error).toMatchObject({ code: 'unexpected_status', retryable: true });
    expect(error.message).toBe(`unexpected status 502 Bad Gateway: down, url: ${server.url}/responses`);
    expect(server.requests).toHaveLength(5);
    expect(world.delays).toEqual([200, 400, 800, 1600]);
    expect(notices).toHaveLength(4);
    expect(notices[0]).toEqual({ type: 'request.retry', attempt: 1, max: 5, delayMs: 200, reason: error.message });
  });

  test('continues when the server recovers, with the same body', async () => {
    const server = await startServer((response, turn) => {
      if (turn < 3) sendJson(response, 500, {});
      else sendStream(response, COMPLETED);
    });
    expect(await ask(testModel(server.url))).toEqual({ events: [COMPLETED] });
    expect(new Set(server.requests.map(({ body }) => body)).size).toBe(1);
  });

  test("tries as often as the provider's settings say", async () => {
    const server = await startServer((response) => sendJson(response, 500, {}));
    expect(await failure(testModel(server.url, { requestMaxRetries: 0 }))).toMatchObject({ code: 'server_error' });
    expect(server.requests).toHaveLength(1);
  });

  test('retries an overloaded server, but marks the error as not retryable for the turn', async () => {
    const server = await startServer((response) =>
      sendJson(response, 503, { error: { code: 'server_is_overloaded' } }),
    );
    expect(await failure(testModel(server.url))).toMatchObject({ code: 'overloaded', retryable: false });
    expect(server.requests).toHaveLength(5);
  });

  test('does not try a failing server again that says that the request is too long', async () => {
    const server = await startServer((response) =>
      sendJson(response, 500, {
        error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' },
      }),
    );
    expect(await failure(testModel(server.url))).toMatchObject({ code: 'context_length_exceeded' });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    [400, 'bad_request', false],
    [401, 'auth', false],
    [403, 'unexpected_status', false],
    [404, 'unexpected_status', false],
    [429, 'rate_limited', true],
  ])('does not try %i again', async (status, code, retryable) => {
    const server = await startServer((response) => sendJson(response, status, { error: { message: 'no' } }));
    expect(await failure(testModel(server.url))).toMatchObject({ code, retryable });
    expect(server.requests).toHaveLength(1);
  });

  test('passes on the length of a rate limit', async () => {
    const server = await startServer((response) => sendJson(response, 429, {}, { 'retry-after': '12' }));
    expect((await failure(testModel(server.url))).retryAfterMs).toBe(12_000);
  });

  test('shows neither the key nor the query', async () => {
    const message = 'Incorrect API key provided: sk-very-secret-key';
    const server = await startServer((response) => sendJson(response, 401, { error: { message } }));
    const error = await failure(testModel(server.url, { queryParams: { key: 'query-secret' } }));
    expect(error.message).toContain('Incorrect API key provided: [redacted]');
    expect(error.message).not.toMatch(/query-secret|\?key/);
  });

  test('reads only the beginning of an endless error', async () => {
    const server = await startServer((response) => {
      response.writeHead(400);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const error = await failure(testModel(server.url));
    expect(error.message).toBe(`${'x'.repeat(1000)}…`);
  });

  test('uses the beginning of an error that breaks off', async () => {
    const server = await startServer((response) => {
      response.writeHead(400, { 'content-length': '1000' });
      response.write('half an answ', () => setImmediate(() => response.socket?.end()));
    });
    expect(await failure(testModel(server.url))).toMatchObject({ code: 'bad_request', message: 'half an answ' });
  });
});

test('an answer that comes before the request was read is accepted, and the rest is not sent', async () => {
  const server = createHttpServer((_, response) => sendJson(response, 401, {}));
  const closed = new Promise<number>((resolve) => {
    server.on('connection', (socket) => socket.on('close', () => resolve(socket.bytesRead)));
  });
  const text = 'x'.repeat(32 * 1024 * 1024);
  const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }] as const;
  const port = await listen(server);
  const { error } = await ask(testModel(`http://127.0.0.1:${port}`), undefined, { ...REQUEST, input });
  expect(error).toMatchObject({ code: 'auth' });
  expect(await closed).toBeLessThan(text.length);
});

describe('an answer that is not a stream', () => {
  test.each([
    [200, 'invalid_response', 'encoded its answer as compress, which it was not asked for'],
    [400, 'bad_request', 'gave no reason'],
  ])('because its coding is unknown is not shown (%i)', async (status, code, said) => {
    const server = await startServer((response) => {
      response.writeHead(status, { 'content-type': 'text/event-stream', 'content-encoding': 'compress' });
      response.end('\u0000\u0001');
    });
    const error = await failure(testModel(server.url));
    expect(error).toMatchObject({ code, message: expect.stringContaining(said) });
    expect(error.message).not.toContain('\u0000');
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('because it is compressed as %s is decompressed', async (coding, encode) => {
    const server = await startServer((response, turn) => {
      const status = turn === 1 ? 400 : 200;
      response.writeHead(status, { 'content-type': 'text/event-stream', 'content-encoding': coding });
      response.end(encode(turn === 1 ? 'too many tools' : frame(COMPLETED)));
    });
    const model = testModel(server.url);
    expect(await failure(model)).toMatchObject({ code: 'bad_request', message: 'too many tools' });
    expect(await ask(model)).toEqual({ events: [COMPLETED] });
    expect(await ask(model)).toEqual({ events: [COMPLETED] });
    expect(server.connections()).toBe(1);
  });

  test('is refused when it is a web page', async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><html><title>Welcome to our proxy</title></html>');
    });
    const error = await failure(testModel(server.url));
    expect(error).toMatchObject({ code: 'invalid_response', retryable: false });
    expect(error.message).toBe(
      `The server at ${server.url}/responses answered with text/html instead of an event stream: Welcome to our proxy. Check base_url.`,
    );
    expect(server.requests).toHaveLength(1);
  });

  test('is refused when it is a document, shown in part', async () => {
    const server = await startServer((response) =>
      sendJson(response, 200, { object: 'response', text: 'x'.repeat(500) }),
    );
    const error = await failure(testModel(server.url));
    expect(error.code).toBe('invalid_response');
    expect(error.message).toMatch(
      /answered with application\/json instead of an event stream: \{"object":"response","text":"x+…\. Check/,
    );
    expect(error.message.length).toBeLessThan(400);
  });

  test('has the message of a document with an error', async () => {
    const server = await startServer((response) => sendJson(response, 200, { error: { message: 'model is loading' } }));
    expect(await failure(testModel(server.url))).toMatchObject({
      code: 'invalid_response',
      message: `The server at ${server.url}/responses answered with an error instead of an event stream: model is loading`,
    });
  });

  test('counts as too long when a document says so', async () => {
    const message = 'Prompt length 9000 is greater than max_seq_len 8192';
    const server = await startServer((response) => sendJson(response, 200, { error: { message } }));
    expect(await failure(testModel(server.url))).toMatchObject({ code: 'context_length_exceeded' });
  });

  test('counts as the failure that a document names', async () => {
    const server = await startServer((response) =>
      sendJson(response, 200, { error: { code: 'context_length_exceeded' } }),
    );
    expect(await failure(testModel(server.url))).toMatchObject({ code: 'context_length_exceeded' });
  });
});

describe('a server that cannot be reached', () => {
  test('is reported after the retries, as not retryable if the server never answered', async () => {
    const port = await freePort();
    const world = testWorld();
    const error = await failure(testModel(`http://127.0.0.1:${port}/v1`, {}, { world }));
    expect(error).toMatchObject({ code: 'unreachable', retryable: false });
    expect(error.message).toBe(
      `Cannot reach http://127.0.0.1:${port}/v1/responses: connection refused. Check that the server is running and that base_url is right.`,
    );
    expect(world.delays).toEqual([200, 400, 800, 1600]);
  });

  test('is retryable if the server has answered before', async () => {
    const server = await startServer((response) => sendStream(response, COMPLETED));
    const model = testModel(server.url);
    expect(await ask(model)).toEqual({ events: [COMPLETED] });
    await server.close();
    expect(await failure(model)).toMatchObject({ code: 'unreachable', retryable: true });
  });

  test('may be one that hangs up without an answer', async () => {
    const port = await listen(createServer((socket) => socket.once('data', () => socket.destroy())));
    const world = testWorld();
    const error = await failure(testModel(`http://127.0.0.1:${port}`, {}, { world }));
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(error.message).toContain('the server closed the connection without an answer');
    expect(world.delays).toHaveLength(4);
  });

  test('may be one that speaks another protocol', async () => {
    const port = await listen(createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n')));
    const world = testWorld();
    expect(await failure(testModel(`http://127.0.0.1:${port}`, {}, { world }))).toMatchObject({
      code: 'unreachable',
      retryable: false,
      message: expect.stringContaining('the server does not speak HTTP'),
    });
    expect(world.delays).toEqual([]);
  });

  test.each([
    [
      'a long head',
      `HTTP/1.1 200 OK\r\na: ${'b'.repeat(70_000)}\r\n\r\n`,
      'the head of the answer is longer than 64 kB',
    ],
    [
      'an upgrade',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n',
      'changes to another protocol (101)',
    ],
    ['a coded transfer', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n', '"gzip, chunked"'],
  ])('may be one that answers with %s, which is not retryable', async (_, bytes, words) => {
    const port = await listen(
      createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(bytes))),
    );
    const world = testWorld();
    const error = await failure(testModel(`http://127.0.0.1:${port}`, {}, { world }));
    expect(error).toMatchObject({ code: 'unreachable', retryable: false, message: expect.stringContaining(words) });
    expect(world.delays).toEqual([]);
  });

  test('is not one whose heads have line feeds alone', async () => {
    const text = `HTTP/1.1 200 OK\ncontent-type: text/event-stream\n\n${frame(COMPLETED)}`;
    const port = await listen(createServer((socket) => socket.once('data', () => socket.end(text))));
    expect(await ask(testModel(`http://127.0.0.1:${port}`))).toEqual({ events: [COMPLETED] });
  });

  test('may be one without TLS, which is not retryable', async () => {
    const server = await startServer((response) => sendStream(response, COMPLETED));
    const world = testWorld();
    const error = await failure(testModel(server.url.replace('http:', 'https:'), {}, { world }));
    expect(error).toMatchObject({ code: 'unreachable', message: expect.stringContaining('does not speak TLS') });
    expect(world.delays).toEqual([]);
  });

  test('may be reached by a retry', async () => {
    let turn = 0;
    const port = await listen(
      createServer((socket) =>
        socket.once('data', () => {
          if (++turn < 3) socket.destroy();
          else socket.end(`HTTP/1.1 200 OK\r\n\r\n${frame(COMPLETED)}`);
        }),
      ),
    );
    expect(await ask(testModel(`http://127.0.0.1:${port}`))).toEqual({ events: [COMPLETED] });
  });
});
