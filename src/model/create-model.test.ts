import { describe, expect, test } from 'vitest';
import { UserError } from '../base/errors.ts';
import { DEFAULT_COMPAT } from '../base/wire.ts';
import type { ModelNotice } from './create-model.ts';
import {
  ask,
  COMPLETED,
  CREATED,
  failure,
  frame,
  plainWire,
  REQUEST,
  sendStream,
  startServer,
  testModel,
  testWorld,
} from './test-loopback.ts';

const DELTA = { type: 'text.delta', itemId: 'm1', delta: 'Grüße 😀' } as const;

describe('a stream', () => {
  test('yields the events that the wire decodes', async () => {
    const server = await startServer((response) => sendStream(response, CREATED, DELTA, COMPLETED));
    expect(await ask(testModel(server.url))).toEqual({ events: [CREATED, DELTA, COMPLETED] });
  });

  test('sends the body of the wire to its path, with the headers and parameters of the provider', async () => {
    const server = await startServer((response) => sendStream(response, COMPLETED));
    const settings = { queryParams: { 'api-version': '1', x: 'a%20b' }, envHeaders: { 'X-Org': 'ORG' } };
    await ask(testModel(`${server.url}/`, settings, { env: { ORG: 'org-1' } }));
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/responses?api-version=1&x=a%20b');
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer sk-very-secret-key',
      'thread-id': 'thread-1',
      'x-org': 'org-1',
      'content-length': String(request?.body.length),
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      model: 'test-model',
      input: [],
      compat: DEFAULT_COMPAT,
    });
  });

  test('can have a request body that is larger than any buffer', async () => {
    const server = await startServer((response) => sendStream(response, COMPLETED));
    const text = 'äöü'.repeat(2_000_000);
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }] as const;
    const { events } = await ask(testModel(server.url), undefined, { ...REQUEST, input });
    expect(events).toEqual([COMPLETED]);
    expect(JSON.parse(server.requests[0]?.body ?? '').input[0].content[0].text === text).toBe(true);
  });

  test('yields events before the response is over', async () => {
    let finish = () => {};
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frame(CREATED));
      finish = () => response.end(frame(COMPLETED));
    });
    const seen = [];
    for await (const event of testModel(server.url).stream(REQUEST, {
      signal: new AbortController().signal,
      turnId: 't',
    })) {
      seen.push(event);
      if (event.type === 'created') finish();
    }
    expect(seen).toEqual([CREATED, COMPLETED]);
  });

  test('may be cut anywhere, also inside a character', async () => {
    const bytes = Buffer.from(`\uFEFF: hello\r\n\r\n${frame(CREATED)}${frame(DELTA)}${frame(COMPLETED)}`);
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const next = (at: number) => {
        if (at >= bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
      };
      next(0);
    });
    expect(await ask(testModel(server.url))).toEqual({ events: [CREATED, DELTA, COMPLETED] });
  });

  test('is accepted with any type, unless it is a web page or a document', async () => {
    for (const type of ['text/plain', 'application/x-ndjson', undefined]) {
      const server = await startServer((response) => {
        response.writeHead(200, type === undefined ? {} : { 'content-type': type });
        response.end(frame(COMPLETED));
      });
      expect(await ask(testModel(server.url))).toEqual({ events: [COMPLETED] });
    }
  });

  test('continues after bytes that are not UTF-8 and lines that are not JSON', async () => {
    const server = await startServer((response) => {
      response.write(Uint8Array.of(...Buffer.from('data: '), 0xff, 0xfe, 0x0a, 0x0a));
      response.end(`data: {"cut\n\n${frame(COMPLETED)}`);
    });
    expect(await ask(testModel(server.url))).toEqual({ events: [COMPLETED] });
  });

  test('ends at an incomplete response, which is a normal event', async () => {
    const incomplete = { type: 'incomplete', responseId: 'r1', reason: 'max_output_tokens', usage: null } as const;
    const server = await startServer((response) => sendStream(response, CREATED, incomplete, DELTA));
    expect(await ask(testModel(server.url))).toEqual({ events: [CREATED, incomplete] });
  });

  test('may have a line of ten megabytes', async () => {
    const delta = { ...DELTA, delta: 'x'.repeat(10 * 1024 * 1024) };
    const server = await startServer((response) => {
      const text = frame(delta) + frame(COMPLETED);
      for (let at = 0; at < text.length; at += 1024) response.write(text.slice(at, at + 1024));
      response.end();
    });
    const { events } = await ask(testModel(server.url));
    expect(events.length).toBe(2);
    expect(JSON.stringify(events[0]) === JSON.stringify(delta)).toBe(true);
  });
});

describe('a failure inside a stream', () => {
  test('is thrown by its code, after the events before it', async () => {
    const failed = { type: 'failed', code: 'rate_limit_exceeded', message: 'Try again in 250 ms.' } as const;
    const server = await startServer((response) => sendStream(response, CREATED, failed));
    const { events, error } = await ask(testModel(server.url));
    expect(events).toEqual([CREATED]);
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true, retryAfterMs: 250 });
    expect(server.requests).toHaveLength(1);
  });

  test('does not show a key that the server repeats', async () => {
    const failed = { type: 'failed', code: null, message: 'wrong key: sk-very-secret-key' } as const;
    const server = await startServer((response) => sendStream(response, failed));
    expect((await failure(testModel(server.url))).message).toBe(
      'stream disconnected before completion: wrong key: [redacted]',
    );
  });

  test('that was held back comes before the end of the stream', async () => {
    const failed = { type: 'failed', code: 'insufficient_quota', message: 'no money' } as const;
    const server = await startServer((response) => response.end(`event: held\n${frame(failed)}`));
    expect(await failure(testModel(server.url))).toMatchObject({ code: 'quota_exceeded' });
  });

  test('that was held back comes before a broken connection', async () => {
    const failed = { type: 'failed', code: 'insufficient_quota', message: 'no money' } as const;
    const server = await startServer((response) => {
      response.write(frame(CREATED));
      response.write(`event: held\n${frame(failed)}`, () => setImmediate(() => response.socket?.end()));
    });
    expect(await failure(testModel(server.url))).toMatchObject({ code: 'quota_exceeded' });
  });

  test('a stream that ends too early is broken', async () => {
    const server = await startServer((response) => sendStream(response, CREATED));
    const { events, error } = await ask(testModel(server.url));
    expect(events).toEqual([CREATED]);
    expect(error).toMatchObject({
      code: 'stream_broken',
      retryable: true,
      message: 'stream disconnected before completion: it never said that it was finished',
    });
  });
});

describe('before a request is sent', () => {
  test('failing credentials are an error of sign-in', async () => {
    const server = await startServer((response) => sendStream(response, COMPLETED));
    const credentials = async () => {
      throw new UserError('invalid_config', 'Missing environment variable: `X`.');
    };
    expect(await failure(testModel(server.url, {}, { credentials }))).toMatchObject({
      code: 'auth',
      message: 'Missing environment variable: `X`.',
      retryable: false,
    });
    expect(server.requests).toEqual([]);
  });

  test('a request that the wire cannot carry is reported', async () => {
    const wire = {
      ...plainWire,
      encodeRequest: () => {
        throw new UserError('invalid_config', 'This wire has no schema.');
      },
    };
    expect(await failure(testModel('http://127.0.0.1:1', {}, { wire }))).toMatchObject({
      code: 'bad_request',
      message: 'This wire has no schema.',
    });
  });

  test('the credentials of the moment are used', async () => {
    const server = await startServer((response) => sendStream(response, COMPLETED));
    let turn = 0;
    const model = testModel(server.url, {}, { credentials: async () => ({ authorization: `key-${++turn}` }) });
    await ask(model);
    await ask(model);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-1', 'Bearer key-2']);
  });
});

test('a retry waits as long as the server asked, else longer each time', () => {
  const model = testModel('http://127.0.0.1:1', { streamMaxRetries: 7 }, { world: testWorld() });
  expect(model.maxStreamRetries).toBe(7);
  const error = { retryAfterMs: undefined } as never;
  expect([1, 2, 3].map((attempt) => model.retryDelayMs(attempt, error))).toEqual([200, 400, 800]);
  expect(model.retryDelayMs(1, { retryAfterMs: 0 } as never)).toBe(0);
  expect(model.retryDelayMs(3, { retryAfterMs: 1300 } as never)).toBe(1300);
});

test('a notice says when another model answers', async () => {
  const notices: ModelNotice[] = [];
  let served = 'other-model';
  const server = await startServer((response) => {
    response.setHeader('openai-model', served);
    sendStream(response, COMPLETED);
  });
  const model = testModel(server.url, {}, { onNotice: (notice) => notices.push(notice) });
  await ask(model);
  served = 'Test-Model-2026-01-01';
  await ask(model);
  expect(notices).toEqual([{ type: 'model.changed', requested: 'test-model', served: 'other-model' }]);
});
