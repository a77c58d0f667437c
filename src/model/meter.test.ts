import { expect, test } from 'vitest';
import type { Meter } from '../base/model.ts';
import { COMPLETED, CREATED, frame, REQUEST, sendJson, sendStream, startServer, testModel } from './test-loopback.ts';

const empty = (): Meter => ({ sentBytes: 0, receivedBytes: 0, retries: 0 });

/** Returns the meter of a request that may fail. */
async function metered(baseUrl: string, signal = new AbortController().signal): Promise<Meter> {
  const meter = empty();
  const model = testModel(baseUrl, { requestMaxRetries: 2 });
  try {
    for await (const _ of model.stream(REQUEST, { signal, turnId: 't', meter }));
  } catch {}
  return meter;
}

const STREAM_BYTES = Buffer.byteLength(frame(CREATED) + frame(COMPLETED));

test('counts the bodies of every attempt', async () => {
  const server = await startServer((response, turn) =>
    turn < 3 ? sendJson(response, 503, { error: 'wait' }) : sendStream(response, CREATED, COMPLETED),
  );
  const meter = await metered(server.url);
  const sent = server.requests.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  const refusals = 2 * Buffer.byteLength('{"error":"wait"}');
  expect(meter).toEqual({ retries: 2, sentBytes: sent, receivedBytes: refusals + STREAM_BYTES });
});

test('counts a request that was refused', async () => {
  const server = await startServer((response) => sendJson(response, 401, { error: 'no' }));
  const meter = await metered(server.url);
  const sent = Buffer.byteLength(server.requests[0]?.body ?? '');
  expect(meter).toEqual({ retries: 0, sentBytes: sent, receivedBytes: Buffer.byteLength('{"error":"no"}') });
});

test('counts a request to a server that never answered, once', async () => {
  const stop = new AbortController();
  const server = await startServer(() => stop.abort());
  const meter = await metered(server.url, stop.signal);
  expect(meter).toEqual({ ...empty(), sentBytes: Buffer.byteLength(server.requests[0]?.body ?? 'none') });
});

test('counts the bytes before a response broke off', async () => {
  const server = await startServer((response) => {
    response.write(frame(CREATED), () => response.destroy());
  });
  const meter = await metered(server.url);
  expect(meter.receivedBytes).toBe(Buffer.byteLength(frame(CREATED)));
});

test('counts nothing where no server listens', async () => {
  const server = await startServer(() => {});
  await server.close();
  expect(await metered(server.url)).toEqual({ ...empty(), retries: 2 });
});
