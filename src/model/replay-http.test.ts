import { describe, expect, onTestFinished, test } from 'vitest';
import type { ModelRequest } from '../base/model.ts';
import type { Cassette, RecordedExchange } from '../cassette/cassette.ts';
import { reply, say, startScriptedModel } from '../testing/index.ts';
import { type ReplayOptions, replayHttp } from './replay-http.ts';
import { ask, COMPLETED, CREATED, failure, frame, REQUEST, testModel } from './test-loopback.ts';
import { responsesModel, startRecording } from './test-recording.ts';

const NOWHERE = 'http://127.0.0.1:1/v1';

function exchange(fields: Partial<RecordedExchange> = {}, input: unknown = []): RecordedExchange {
  return {
    request: { method: 'POST', url: NOWHERE, headers: {}, body: { model: 'test-model', input } },
    response: { status: 200, headers: { 'content-type': 'text/event-stream' } },
    chunks: [frame(CREATED), frame(COMPLETED)].map((text, index) => ({ ms: index, bytes: Buffer.from(text) })),
    ms: 2,
    error: null,
    ...fields,
  };
}

const cassette = (...exchanges: RecordedExchange[]): Cassette => ({ recordedAt: '', oxbow: '', exchanges });
const replayModel = (tape: Cassette, options?: ReplayOptions) =>
  testModel(NOWHERE, { requestMaxRetries: 0 }, { http: replayHttp(tape, options) });
const requestOf = (text: string): ModelRequest => ({
  ...REQUEST,
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
});
const inputOf = (text: string) => [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }];
const answering = (responseId: string, text: string) =>
  exchange(
    { chunks: [{ ms: 0, bytes: Buffer.from(frame({ ...COMPLETED, responseId } as typeof COMPLETED)) }] },
    inputOf(text),
  );

describe('in order', () => {
  test('the n-th request gets the n-th exchange, and the next one an error', async () => {
    const model = replayModel(cassette(exchange(), exchange()));
    expect(await ask(model)).toEqual({ events: [CREATED, COMPLETED] });
    expect(await ask(model)).toEqual({ events: [CREATED, COMPLETED] });
    expect(await failure(model)).toMatchObject({
      code: 'rejected',
      retryable: false,
      message: 'The cassette has responses up to request 2, and this is request 3. Record it again.',
    });
  });

  test('a request with another body is answered, and reported', async () => {
    const told: string[] = [];
    const model = replayModel(cassette(answering('a', 'one'), answering('b', 'two')), {
      onMismatch: (message) => told.push(message),
    });
    await ask(model, undefined, requestOf('one'));
    expect(told).toEqual([]);
    expect(await ask(model, undefined, requestOf('three'))).toMatchObject({ events: [{ responseId: 'b' }] });
    expect(told).toEqual([
      'Request 2 is not the recorded one: item 1 of the input is user "three", it was user "two".',
    ]);
  });

  test('requests are compared as the wire sends them', async () => {
    const server = await startScriptedModel([reply(say('hello'))]);
    onTestFinished(() => server.close());
    const recording = startRecording();
    await ask(
      responsesModel(server.url, { tap: recording.recorder }),
      undefined,
      requestOf('my key is sk-very-secret-key'),
    );
    const told: string[] = [];
    const http = () => replayHttp(recording.cassette(), { onMismatch: (message) => told.push(message) });
    await ask(responsesModel(server.url, { http: http() }), undefined, requestOf('my key is sk-very-secret-key'));
    expect(told).toEqual([]);
    await ask(responsesModel(server.url, { http: http() }), undefined, { ...requestOf('x'), model: 'other' });
    expect(told).toEqual(['Request 1 is not the recorded one: the model is "other", it was "test-model".']);
  });
});

describe('by body', () => {
  test('a request gets the first exchange with the same body, in any order', async () => {
    const model = replayModel(cassette(answering('a', 'one'), answering('b', 'two'), answering('c', 'one')), {
      match: 'strict',
    });
    const asked: unknown[] = [];
    for (const text of ['two', 'one', 'one']) {
      const { events } = await ask(model, undefined, requestOf(text));
      asked.push(events);
    }
    expect(asked).toMatchObject([[{ responseId: 'b' }], [{ responseId: 'a' }], [{ responseId: 'c' }]]);
  });

  test('a request that was not recorded is refused', async () => {
    const model = replayModel(cassette(answering('a', 'one')), { match: 'strict' });
    const { error } = await ask(model, undefined, requestOf('two'));
    expect(error).toMatchObject({
      code: 'rejected',
      message:
        'The cassette has no response for request 1. Compared with the next recorded one, item 1 of the input is user "two", it was user "one". Record it again.',
    });
    expect(await ask(model, undefined, requestOf('one'))).toMatchObject({ events: [{ responseId: 'a' }] });
  });
});

describe('an exchange that ended too early', () => {
  const partial = { chunks: [{ ms: 0, bytes: Buffer.from(frame(CREATED)) }] };

  test.each([
    ['connection closed', 'stream_broken', true, 'stream disconnected before completion: the connection was closed'],
    ['Parse Error: x', 'stream_broken', true, 'stream disconnected before completion: Parse Error: x'],
    ['idle timeout', 'idle_timeout', true, 'stream disconnected before completion: idle timeout waiting for SSE'],
    [
      'interrupted',
      'stream_broken',
      false,
      'The cassette holds no more of this response: the request was interrupted.',
    ],
    [
      'recording stopped',
      'stream_broken',
      false,
      'The cassette holds no more of this response: the recording was not finished.',
    ],
  ])('%s, in the middle of the body', async (error, code, retryable, message) => {
    const outcome = await ask(replayModel(cassette(exchange({ ...partial, error }))));
    expect(outcome.events).toEqual([CREATED]);
    expect(outcome.error).toMatchObject({ code, retryable, message });
  });

  test.each([
    ['ECONNREFUSED', 'unreachable', /: connection refused\. Check/],
    ['the tubes are full', 'unreachable', /: the tubes are full\. Check/],
    ['idle timeout', 'idle_timeout', /idle timeout/],
    ['interrupted', 'stream_broken', /the request was interrupted/],
  ])('%s, before there was an answer', async (error, code, message) => {
    const thrown = await failure(replayModel(cassette(exchange({ response: null, chunks: [], error }))));
    expect(thrown).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

describe('time', () => {
  const slow = exchange({ chunks: [frame(CREATED), frame(COMPLETED)].map((t) => ({ ms: 40, bytes: Buffer.from(t) })) });
  const hour = exchange({ chunks: [{ ms: 3_600_000, bytes: Buffer.from(frame(COMPLETED)) }], ms: 3_600_000 });

  test('does not pass by default', async () => {
    expect(await ask(replayModel(cassette(hour)))).toEqual({ events: [COMPLETED] });
  });

  test('passes as recorded, on request', async () => {
    const before = performance.now();
    await ask(replayModel(cassette(slow), { speed: 'recorded' }));
    expect(performance.now() - before).toBeGreaterThanOrEqual(35);
  });

  test('ends with an abort', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 10);
    expect(await failure(replayModel(cassette(hour), { speed: 'recorded' }), abort.signal)).toMatchObject({
      code: 'aborted',
    });
    const before = replayModel(cassette(hour));
    expect(await failure(before, AbortSignal.abort())).toMatchObject({ code: 'aborted' });
    expect(await ask(before)).toEqual({ events: [COMPLETED] });
  });
});
