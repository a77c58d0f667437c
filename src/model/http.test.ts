import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StreamedEvent } from '../base/model.ts';
import { createHttp } from './http/create-http.ts';
import {
  ask,
  COMPLETED,
  CREATED,
  failure,
  frame,
  REQUEST,
  sendJson,
  sendStream,
  startDeafServer,
  startServer,
  testModel,
  testWorld,
} from './test-loopback.ts';

const OPTIONS = { signal: new AbortController().signal, turnId: 't' };

/** Returns a promise and the function that resolves it. */
function later<T = void>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('a connection', () => {
  test('is reused for the next request', async () => {
    const server = await startServer((response) => sendStream(response, CREATED, COMPLETED));
    const model = testModel(server.url);
    for (let i = 0; i < 5; i++) expect((await ask(model)).events).toHaveLength(2);
    expect(server.requests).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  test('is reused even if the server sends more after the end', async () => {
    const server = await startServer((response) => {
      response.write(frame(COMPLETED));
      response.end(`data: [DONE]\n\n: ${'x'.repeat(1000)}\n\n`);
    });
    const model = testModel(server.url);
    await ask(model);
    await ask(model);
    expect(server.connections()).toBe(1);
  });

  test('is reused after an error', async () => {
    const server = await startServer((response) => sendJson(response, 500, { error: { message: 'x'.repeat(10_000) } }));
    await failure(testModel(server.url));
    expect(server.requests).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  test('is closed when the server keeps sending, while the response ends at once', async () => {
    const closed = later();
    const server = await startServer((response, turn) => {
      if (turn > 1) return sendStream(response, COMPLETED);
      response.on('close', () => closed.resolve());
      response.write(frame(COMPLETED));
      const more = () => {
        while (!response.destroyed && response.write(`: ${'x'.repeat(65_536)}\n`));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const model = testModel(server.url);
    expect(await ask(model)).toEqual({ events: [COMPLETED] });
    await closed.promise;
    expect(await ask(model)).toEqual({ events: [COMPLETED] });
    expect(server.connections()).toBe(2);
  });

  test('is closed when the server stays silent after the end, while the response ends at once', async () => {
    const closed = later();
    const server = await startServer((response) => {
      response.on('close', () => closed.resolve());
      response.write(frame(COMPLETED));
    });
    expect(await ask(testModel(server.url))).toEqual({ events: [COMPLETED] });
    await closed.promise;
  });

  test('that the server closed in between is replaced without a retry', async () => {
    const world = testWorld();
    let sockets = 0;
    // Every connection serves one request, and is reset when a second one comes over it.
    const server = createServer((socket) => {
      sockets++;
      let requests = 0;
      socket.on('error', () => {});
      socket.on('data', () => {
        if (++requests > 1) {
          socket.resetAndDestroy();
          return;
        }
        const body = frame(COMPLETED);
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
    });
    const model = testModel(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      { requestMaxRetries: 0 },
      { world },
    );
    for (let i = 0; i < 3; i++) expect(await ask(model)).toEqual({ events: [COMPLETED] });
    expect(sockets).toBe(3);
    expect(world.delays).toEqual([]);
  });

  test('that is reset in the middle of a stream breaks the stream', async () => {
    let reset = () => {};
    const server = await startServer((response) => {
      response.write(frame(CREATED));
      reset = () => response.socket?.resetAndDestroy();
    });
    const read = async () => {
      for await (const event of testModel(server.url).stream(REQUEST, OPTIONS)) if (event.type === 'created') reset();
    };
    await expect(read()).rejects.toMatchObject({
      code: 'stream_broken',
      retryable: true,
      message: expect.stringMatching(/^stream disconnected before completion: /),
    });
    expect(server.requests).toHaveLength(1);
  });

  test('that is closed in the middle of a stream breaks the stream, after the events before it', async () => {
    const server = await startServer((response) => {
      response.write(frame(CREATED), () => setImmediate(() => response.socket?.end()));
    });
    const { events, error } = await ask(testModel(server.url));
    expect(events).toEqual([CREATED]);
    expect(error).toMatchObject({
      code: 'stream_broken',
      message: 'stream disconnected before completion: the connection was closed',
    });
  });

  test('that breaks after the end of the response does no harm', async () => {
    const server = await startServer((response) => {
      response.write(frame(CREATED) + frame(COMPLETED), () => setImmediate(() => response.socket?.end()));
    });
    expect(await ask(testModel(server.url))).toEqual({ events: [CREATED, COMPLETED] });
  });
});

describe('silence', () => {
  test('before the head of an answer is a timeout, tried again like a failure of the connection', async () => {
    const world = testWorld();
    const server = await startServer((response, turn) => {
      if (turn >= 3) sendStream(response, COMPLETED);
    });
    const model = testModel(server.url, { streamIdleTimeoutMs: 300 }, { world });
    expect(await ask(model)).toEqual({ events: [COMPLETED] });
    expect(world.delays.slice(0, 2)).toEqual([200, 400]);
  });

  test('that never ends is reported', async () => {
    const server = await startServer(() => {});
    expect(await failure(testModel(server.url, { streamIdleTimeoutMs: 300, requestMaxRetries: 1 }))).toMatchObject({
      code: 'idle_timeout',
      retryable: true,
      message: 'stream disconnected before completion: idle timeout waiting for SSE',
    });
    expect(server.requests).toHaveLength(2);
  });

  test('in the middle of a stream is a timeout and closes the connection', async () => {
    const closed = later();
    const server = await startServer((response) => {
      response.on('close', () => closed.resolve());
      response.write(frame(CREATED));
    });
    const { events, error } = await ask(testModel(server.url, { streamIdleTimeoutMs: 500 }));
    expect(events).toEqual([CREATED]);
    expect(error).toMatchObject({ code: 'idle_timeout', retryable: true });
    await closed.promise;
    expect(server.requests).toHaveLength(1);
  });

  test('on our own side is not counted as silence of the server', async () => {
    let finish = () => {};
    const server = await startServer((response) => {
      response.write(frame(CREATED));
      finish = () => response.end(frame(COMPLETED));
    });
    const seen: StreamedEvent[] = [];
    for await (const event of testModel(server.url, { streamIdleTimeoutMs: 300 }).stream(REQUEST, OPTIONS)) {
      seen.push(event);
      if (event.type !== 'created') continue;
      await new Promise((resolve) => setTimeout(resolve, 500));
      finish();
    }
    expect(seen).toEqual([CREATED, COMPLETED]);
  });

  test.skipIf(process.platform !== 'linux')(
    'of a host that accepts no connections is a timeout of its own',
    async () => {
      const url = await startDeafServer();
      const post = createHttp({ connectTimeoutMs: 200 }).send(url, {
        headers: {},
        body: new Uint8Array(),
        idleTimeoutMs: 60_000,
        signal: OPTIONS.signal,
      });
      await expect(post).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    },
  );
});

describe('an abort', () => {
  test('before the request sends nothing', async () => {
    const server = await startServer((response) => sendStream(response, COMPLETED));
    expect(await failure(testModel(server.url), AbortSignal.abort())).toMatchObject({
      code: 'aborted',
      retryable: false,
    });
    expect(server.requests).toEqual([]);
  });

  test('while the credentials are fetched does not wait for them', async () => {
    const abort = new AbortController();
    const credentials = () => {
      setImmediate(() => abort.abort());
      return new Promise<never>(() => {});
    };
    expect(await failure(testModel('http://127.0.0.1:1', {}, { credentials }), abort.signal)).toMatchObject({
      code: 'aborted',
    });
  });

  test('while the server is silent closes the connection', async () => {
    const abort = new AbortController();
    const closed = later();
    const server = await startServer((response) => {
      response.on('close', () => closed.resolve());
      abort.abort();
    });
    expect(await failure(testModel(server.url), abort.signal)).toMatchObject({ code: 'aborted' });
    await closed.promise;
    expect(server.requests).toHaveLength(1);
  });

  test('in the middle of a stream closes the connection', async () => {
    const abort = new AbortController();
    const closed = later();
    const server = await startServer((response) => {
      response.on('close', () => closed.resolve());
      response.write(frame(CREATED), () => setTimeout(() => abort.abort(), 20));
    });
    expect(await failure(testModel(server.url), abort.signal)).toMatchObject({ code: 'aborted' });
    await closed.promise;
  });

  test('takes effect between two events that came together', async () => {
    const abort = new AbortController();
    const server = await startServer((response) => sendStream(response, CREATED, COMPLETED));
    const seen: StreamedEvent[] = [];
    const read = async () => {
      for await (const event of testModel(server.url).stream(REQUEST, { signal: abort.signal, turnId: 't' })) {
        seen.push(event);
        abort.abort();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: 'aborted' });
    expect(seen).toEqual([CREATED]);
  });

  test('during the wait before a retry ends the wait', async () => {
    const abort = new AbortController();
    const server = await startServer((response) => sendJson(response, 500, {}));
    const world = {
      ...testWorld(),
      sleep: (_ms: number, signal: AbortSignal) =>
        new Promise<void>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          abort.abort();
        }),
    };
    expect(await failure(testModel(server.url, {}, { world }), abort.signal)).toMatchObject({ code: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });

  test('after the end leaves the connection to the next request', async () => {
    const abort = new AbortController();
    const server = await startServer((response) => sendStream(response, COMPLETED));
    const model = testModel(server.url);
    await ask(model, abort.signal);
    abort.abort();
    expect(await ask(model)).toEqual({ events: [COMPLETED] });
    expect(server.connections()).toBe(1);
  });

  test('also happens when the reader stops reading', async () => {
    const closed = later();
    const server = await startServer((response) => {
      response.on('close', () => closed.resolve());
      response.write(frame(CREATED));
    });
    for await (const _ of testModel(server.url).stream(REQUEST, OPTIONS)) break;
    await closed.promise;
  });
});
