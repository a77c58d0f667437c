import { describe, expect, onTestFinished, test } from 'vitest';
import {
  call,
  encodeReply,
  fault,
  reply,
  type Script,
  type ScriptedAnswer,
  type ScriptedModel,
  say,
  startCassetteServer,
  startScriptedModel,
  think,
} from '../testing/index.ts';
import type { ExchangeTap } from './exchange-tap.ts';
import { createHttp } from './http/create-http.ts';
import type { SendOptions } from './http.ts';
import { createExchangeRecorder } from './record-exchange.ts';
import { replayHttp } from './replay-http.ts';
import {
  ask,
  COMPLETED,
  CREATED,
  frame,
  REQUEST,
  sendStream,
  startServer,
  testModel,
  testWorld,
} from './test-loopback.ts';
import { askTimes, piecesOf, responsesModel, startRecording } from './test-recording.ts';

const KEY = 'sk-very-secret-key';
const two = [
  reply(think('I should look.'), say('Grüße 😀, one moment.'), call('shell', { command: ['ls', '-l'] })),
  reply(say('There are three files.')),
];

async function startScript(script: Script): Promise<ScriptedModel> {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  return model;
}

/** Records the answers of a script. Returns the results of the same requests, live and replayed in both ways. */
async function recordAndReplay(answers: readonly ScriptedAnswer[], requests: number, idleTimeoutMs = 20_000) {
  const settings = { streamIdleTimeoutMs: idleTimeoutMs };
  const live = await startScript(answers);
  const recording = startRecording();
  const outcomes = await askTimes(responsesModel(live.url, { tap: recording.recorder }, settings), requests);
  const cassette = recording.cassette();

  const inProcess = await askTimes(responsesModel(live.url, { http: replayHttp(cassette) }, settings), requests);
  const server = await startCassetteServer(recording.text());
  const again = startRecording();
  const served = await askTimes(responsesModel(server.url, { tap: again.recorder }, settings), requests);
  await server.close();
  const withoutPorts = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replace(/127\.0\.0\.1:\d+/g, 'host')) as unknown;
  return {
    live: withoutPorts(outcomes),
    inProcess: withoutPorts(inProcess),
    served: withoutPorts(served),
    cassette,
    servedCassette: again.cassette(),
    liveRequests: live.requests.length,
  };
}

describe('a recording has the same events when it is replayed', () => {
  test.each<[string, readonly ScriptedAnswer[], number]>([
    ['responses', two, 2],
    ['responses in small pieces that cut characters', two.map((answer) => fault.split(answer, 7)), 2],
    ['a status, then a response to the next try', [fault.status(500, { error: { message: 'down' } }), ...two], 2],
    ['a status that is not retried', [fault.status(400, { error: { message: 'no such model' } })], 1],
    ['a web page', [fault.html(404)], 1],
    ['a rate limit with a wait', [fault.status(429, {}, { 'retry-after': '7' })], 1],
    ['a response that is cut off', [fault.cut(two[0] as ScriptedAnswer, 700), ...two], 2],
    ['a response that ends early', [fault.truncated(two[0] as ScriptedAnswer, 700)], 1],
    ['a connection that is reset before there is an answer', [fault.resetBeforeHeaders(), ...two], 2],
    ['a server that fails for good', [fault.resetBeforeHeaders(), fault.resetBeforeHeaders()], 1],
    ['a frame that is not JSON', [fault.badJson(two[0] as ScriptedAnswer)], 1],
  ])('%s', async (_, answers, requests) => {
    const { live, inProcess, served, cassette, servedCassette, liveRequests } = await recordAndReplay(
      answers,
      requests,
    );
    expect(inProcess).toEqual(live);
    expect(served).toEqual(live);
    expect(cassette.exchanges).toHaveLength(liveRequests);
    expect(piecesOf(servedCassette)).toEqual(piecesOf(cassette));
  });

  test('a reset in the middle of a stream', async () => {
    const { live, inProcess, served, cassette } = await recordAndReplay([fault.reset(700, two[0]), ...two], 2);
    expect(live).toMatchObject([{ error: expect.stringContaining('stream_broken true') }, {}]);
    expect(inProcess).toEqual(live);
    expect(served).toEqual(live);
    expect(cassette.exchanges.map(({ error }) => error)).toEqual(['connection closed', null]);
  });

  test('a server that falls silent', async () => {
    const { live, inProcess, served, cassette } = await recordAndReplay([fault.hang(), ...two], 2, 100);
    expect(live).toMatchObject([
      { error: 'idle_timeout true: stream disconnected before completion: idle timeout waiting for SSE' },
      {},
    ]);
    expect(inProcess).toEqual(live);
    expect(served).toEqual(live);
    expect(cassette.exchanges[0]).toMatchObject({ response: { status: 200 }, error: 'idle timeout' });
  });
});

describe('chunks', () => {
  test('are those that the server sent', async () => {
    const answer = two[0] as ScriptedAnswer;
    for (const size of [1, 7, 100]) {
      const server = await startScript([fault.split(answer, size)]);
      const recording = startRecording();
      await ask(responsesModel(server.url, { tap: recording.recorder }));
      const [pieces = []] = piecesOf(recording.cassette());
      expect(Buffer.from(pieces.join(''), 'latin1')).toEqual(encodeReply(answer, { model: 'test-model' }));
      expect(new Set(pieces.slice(0, -1).map((piece) => piece.length))).toEqual(new Set([size]));
    }
  });

  test('are not joined when they come faster than they are read', async () => {
    const frames = Array.from({ length: 2000 }, (_, n) => frame({ type: 'text.delta', itemId: 'm', delta: String(n) }));
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const text of frames) response.write(text);
      response.end(frame(COMPLETED));
    });
    const recording = startRecording();
    const { events } = await ask(testModel(server.url, {}, { tap: recording.recorder }));
    expect(events).toHaveLength(2001);
    // The connection may cut a chunk in two, but does not join chunks.
    const [pieces = []] = piecesOf(recording.cassette());
    expect(pieces.join('')).toBe(frames.join('') + frame(COMPLETED));
    expect(pieces.every((piece) => piece.split('\n\n').length <= 2)).toBe(true);
  });

  test('come with their times', async () => {
    let now = 1000;
    const world = { ...testWorld(), now: () => now };
    const lines: string[] = [];
    const exchange = createExchangeRecorder({ write: (line) => lines.push(line), secrets: [], world }).request({
      method: 'POST',
      url: 'http://host/v1',
      headers: {},
      body: Buffer.from('not JSON'),
    });
    exchange.response({ status: 200, headers: { a: 'b', c: undefined } });
    now = 1012;
    exchange.chunk(Buffer.from('ü'));
    exchange.chunk(Buffer.from('ü').subarray(0, 1));
    now = 1030;
    exchange.end('connection closed');
    exchange.end();
    expect(lines).toEqual([
      '{"cassette":2,"recorded_at":"1970-01-01T00:00:01.000Z","oxbow":"0.1.0"}\n',
      '{"type":"request","n":1,"method":"POST","url":"http://host/v1","headers":{},"body":"not JSON"}\n',
      '{"type":"response","n":1,"status":200,"headers":{"a":"b"}}\n',
      '{"type":"chunk","n":1,"ms":12,"text":"ü"}\n',
      '{"type":"chunk","n":1,"ms":12,"base64":"ww=="}\n',
      '{"type":"end","n":1,"ms":30,"error":"connection closed"}\n',
    ]);
  });
});

describe('secrets', () => {
  test('are nowhere in the bytes', async () => {
    const secrets = [KEY, 'configured-secret-1', 'in-the-query-1', 'account-id-123', 'header-key-12'];
    const tell = `${secrets.join(' and ')}, also sk-abcdefghijklmnopqrstuvwx`;
    const server = await startScript([
      fault.status(500, { error: { message: tell } }, { 'set-cookie': 'id=cookie-secret', 'x-echo': tell }),
      fault.split(reply(say(tell), call('shell', { command: ['echo', tell] })), 5),
    ]);
    const recording = startRecording(['configured-secret-1']);
    const model = responsesModel(
      server.url,
      {
        tap: recording.recorder,
        credentials: async () => ({ authorization: KEY, accountId: 'account-id-123' }),
        env: { HEADER_KEY: 'header-key-12' },
      },
      { queryParams: { key: 'in-the-query-1' }, envHeaders: { 'x-api-key': 'HEADER_KEY' } },
    );
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: tell }] }] as const;
    const { events } = await ask(model, undefined, { ...REQUEST, input });
    expect(JSON.stringify(events)).toContain(KEY);

    const everything = [recording.text(), ...piecesOf(recording.cassette()).map((pieces) => pieces.join(''))].join();
    for (const secret of [...secrets, 'cookie-secret', 'sk-abcdefghijklmnopqrstuvwx']) {
      expect(everything).not.toContain(secret);
    }
    expect(everything).toContain('[redacted] and [redacted]');

    const replayed = await ask(responsesModel(server.url, { http: replayHttp(recording.cassette()) }), undefined, {
      ...REQUEST,
      input,
    });
    expect(replayed.events.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    for (const secret of secrets) expect(toldIn(replayed.events)).not.toContain(secret);
  });

  test('a key of an earlier request is also removed from later ones', async () => {
    const server = await startScript([reply(say('hello')), reply(say('the old key was first-key-123'))]);
    const recording = startRecording();
    const credentials = [{ authorization: 'first-key-123' }, { authorization: 'second-key-123' }];
    const model = responsesModel(server.url, {
      tap: recording.recorder,
      credentials: async () => credentials.shift() ?? {},
    });
    await askTimes(model, 2);
    expect(recording.text()).not.toMatch(/first-key|second-key/);
    expect(recording.text()).toContain('the old key was [redacted]');
  });
});

/** Returns the deltas of all events, joined. */
function toldIn(events: readonly { readonly type: string }[]): string {
  return events.map((event) => ('delta' in event ? String(event.delta) : '')).join('');
}

describe('a request that is given up', () => {
  test('by an abort is recorded as interrupted, with the bytes so far', async () => {
    const abort = new AbortController();
    const server = await startServer((response) => response.write(frame(CREATED)));
    const recording = startRecording();
    const model = testModel(server.url, {}, { tap: recording.recorder });
    const seen: string[] = [];
    await expect(async () => {
      for await (const event of model.stream(REQUEST, { signal: abort.signal, turnId: 't' })) {
        seen.push(event.type);
        setImmediate(() => abort.abort());
      }
    }).rejects.toMatchObject({ code: 'aborted' });
    expect(seen).toEqual(['created']);
    expect(recording.cassette().exchanges).toMatchObject([{ response: { status: 200 }, error: 'interrupted' }]);
    expect(piecesOf(recording.cassette())).toEqual([[frame(CREATED)]]);
  });

  test('before there is an answer is recorded as interrupted', async () => {
    const abort = new AbortController();
    const server = await startServer(() => abort.abort());
    const recording = startRecording();
    await ask(testModel(server.url, {}, { tap: recording.recorder }), abort.signal);
    expect(recording.cassette().exchanges).toMatchObject([{ response: null, chunks: [], error: 'interrupted' }]);
  });

  test('by the end of the recording is recorded as interrupted', () => {
    const recording = startRecording();
    const sent = { method: 'POST', url: 'http://host', headers: {}, body: Buffer.from('{}') };
    recording.recorder.request(sent).end();
    const open = recording.recorder.request(sent);
    open.response({ status: 200, headers: {} });
    open.chunk(Buffer.from('half'));
    recording.recorder.close();
    open.chunk(Buffer.from('more'));
    open.end();
    expect(recording.text().trimEnd().split('\n').slice(-2)).toEqual([
      '{"type":"chunk","n":2,"ms":0,"text":"half"}',
      '{"type":"end","n":2,"ms":0,"error":"interrupted"}',
    ]);
  });
});

test('a file that cannot be written ends the recording, not the turn', async () => {
  const server = await startScript(two);
  const faults: string[] = [];
  let written = 0;
  const recorder = createExchangeRecorder({
    write() {
      if (++written === 3) throw new Error('no space left on device');
    },
    secrets: [],
    world: testWorld(),
    onFault: (message) => faults.push(message),
  });
  const outcomes = await askTimes(responsesModel(server.url, { tap: recorder }), 2);
  expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
  expect(written).toBe(3);
  expect(faults).toEqual(['The recording stops here, because its file could not be written: no space left on device']);
});

describe('the tap', () => {
  test('changes nothing when it is not set: bodies are read as before', async () => {
    const server = await startServer((response) => sendStream(response, COMPLETED));
    const seen: SendOptions[] = [];
    const real = createHttp();
    const http = {
      send: (url: URL, options: SendOptions) => {
        seen.push(options);
        return real.send(url, options);
      },
    };
    await ask(testModel(server.url, {}, { http }));
    expect(seen.map(({ unjoined }) => unjoined)).toEqual([undefined]);
  });

  test('leaves the connection to the next request', async () => {
    const server = await startServer((response) => {
      response.write(frame(COMPLETED));
      response.end(`data: [DONE]\n\n: ${'x'.repeat(1000)}\n\n`);
    });
    const model = testModel(server.url, {}, { tap: startRecording().recorder });
    for (let n = 0; n < 3; n++) expect(await ask(model)).toEqual({ events: [COMPLETED] });
    expect(server.connections()).toBe(1);
  });

  test('sees every attempt, each begun and ended once', async () => {
    const server = await startScript([fault.resetBeforeHeaders(), fault.status(500, {}), ...two]);
    const calls: string[] = [];
    const tap: ExchangeTap = {
      request: ({ method, url }) => {
        calls.push(`${method} ${new URL(url).pathname}`);
        return {
          response: ({ status }) => calls.push(String(status)),
          chunk: () => {
            if (calls.at(-1) !== 'chunk') calls.push('chunk');
          },
          end: (error) => calls.push(error ?? 'end'),
        };
      },
    };
    await askTimes(responsesModel(server.url, { tap }, { requestMaxRetries: 2 }), 2);
    const post = 'POST /v1/responses';
    expect(calls).toEqual([
      ...[post, 'ECONNRESET'],
      ...[post, '500', 'chunk', 'end'],
      ...[post, '200', 'chunk', 'end'],
      ...[post, '200', 'chunk', 'end'],
    ]);
  });
});
