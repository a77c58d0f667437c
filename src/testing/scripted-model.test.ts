import { once } from 'node:events';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { encodeReply } from './encode-reply.ts';
import { fault } from './fault.ts';
import { call, gate, pause, reply, say } from './reply.ts';
import type { Script } from './script.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts';

const hello = reply(say('Hello there, world — ünïcödé'));
const never = new Promise<never>(() => {});

let model: ScriptedModel | undefined;

afterEach(() => model?.close());

async function start(script: Script): Promise<ScriptedModel> {
  model = await startScriptedModel(script);
  return model;
}

interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly pieces: readonly Buffer[];
  readonly body: Buffer;
  /** Null when the body ended properly. */
  readonly error: (Error & { code?: string }) | null;
}

function post(server: ScriptedModel, body: unknown = { model: 'scripted' }, agent?: Agent): ClientRequest {
  const client = httpRequest(`${server.url}/responses`, { method: 'POST', ...(agent ? { agent } : {}) });
  client.on('error', () => {});
  client.end(typeof body === 'string' ? body : JSON.stringify(body));
  return client;
}

async function answerOf(client: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  return response;
}

function receive(client: ClientRequest): Promise<Received> {
  return new Promise((resolve, reject) => {
    let error: Received['error'] = null;
    client.once('error', (caught) => {
      error = caught;
      reject(caught);
    });
    client.once('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', (caught) => {
        error ??= caught;
      });
      response.on('close', () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, pieces, body: Buffer.concat(pieces), error });
      });
    });
  });
}

describe('the script', () => {
  test('the n-th request gets the n-th reply, and ids keep counting', async () => {
    const server = await start([reply(say('one'), call('shell', {})), reply(say('two'), call('shell', {}))]);

    const first = await receive(post(server));
    const second = await receive(post(server));

    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toContain('text/event-stream');
    expect(first.body.toString()).toMatch(/resp_1.*msg_1.*"one".*call_1/s);
    expect(second.body.toString()).toMatch(/resp_2.*msg_2.*"two".*call_2/s);
    expect(server.unexpected).toEqual([]);
  });

  test('a function sees the request and its number', async () => {
    const server = await start((request, n) => reply(say(`${n}: ${String(request.body.question)}`)));

    const first = await receive(post(server, { question: 'why' }));
    const second = await receive(post(server, { question: 'how' }));

    expect(first.body.toString()).toContain('"text":"1: why"');
    expect(second.body.toString()).toContain('"text":"2: how"');
  });

  test('the body is that of encodeReply', async () => {
    const server = await start([hello]);
    expect((await receive(post(server))).body).toEqual(encodeReply(hello));
  });

  test('requests after the end of the script get a 400 and are recorded', async () => {
    const server = await start([hello]);
    await receive(post(server));

    const { status, body } = await receive(post(server, { second: true }));

    expect(status).toBe(400);
    expect(body.toString()).toContain('The script has no answer for request 2.');
    expect(server.unexpected.map((request) => request.body)).toEqual([{ second: true }]);
    expect(server.requests).toHaveLength(2);
  });

  test('a function that throws causes a 400 with its message', async () => {
    const server = await start(() => {
      throw new Error('expected a tool output');
    });
    const { status, body } = await receive(post(server));
    expect(status).toBe(400);
    expect(body.toString()).toContain('The script failed at request 1: expected a tool output');
    expect(server.unexpected).toHaveLength(1);
  });

  test('other paths consume no answer of the script', async () => {
    const server = await start([hello]);
    const stray = httpRequest(`${server.url}/models`);
    stray.end();

    expect((await receive(stray)).status).toBe(404);
    expect((await receive(post(server))).status).toBe(200);
    expect(server.unexpected.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models']);
    expect(server.requests).toHaveLength(1);
  });

  test('a body that is not JSON is refused', async () => {
    const server = await start([hello]);
    expect((await receive(post(server, '{"model":'))).status).toBe(400);
    expect(server.unexpected).toHaveLength(1);
  });
});

describe('the record of a request', () => {
  test('has the request, byte for byte', async () => {
    const server = await start([hello]);
    const before = Date.now();
    const client = httpRequest(`${server.url}/responses?version=1`, { method: 'POST', headers: { 'x-test': 'yes' } });
    client.end('{ "model":"m" }');
    await receive(client);

    const request = await server.waitForRequest(1);
    await request.ended;

    expect(request).toMatchObject({ method: 'POST', path: '/v1/responses?version=1', body: { model: 'm' } });
    expect(request.headers['x-test']).toBe('yes');
    expect(request.bytes.toString()).toBe('{ "model":"m" }');
    expect(request.receivedAt).toBeGreaterThanOrEqual(before);
    expect(request.answeredAt).toBeGreaterThanOrEqual(request.receivedAt);
    expect(request.aborted).toBe(false);
  });

  test('shows that the client left before the end of the answer', async () => {
    const server = await start([reply(say('wait'), gate(never))]);
    const client = post(server);
    const response = await answerOf(client);
    await once(response, 'data');
    client.destroy();

    const request = await server.waitForRequest(1);
    await request.ended;

    expect(request.aborted).toBe(true);
    expect(request.answeredAt).toBeUndefined();
  });

  test('does not count a connection that the server broke as aborted', async () => {
    const server = await start([fault.cut(hello, 10)]);
    await receive(post(server));
    const request = await server.waitForRequest(1);
    await request.ended;
    expect(request.aborted).toBe(false);
    expect(request.answeredAt).toBeUndefined();
  });

  test('can be waited for, and the wait ends with the server', async () => {
    const server = await start([hello, hello]);
    const second = server.waitForRequest(2);
    const third = server.waitForRequest(3);
    await receive(post(server, { n: 1 }));
    await receive(post(server, { n: 2 }));

    expect((await second).body).toEqual({ n: 2 });
    await server.close();
    await expect(third).rejects.toThrow('Request 3 did not come: the scripted model was closed. Requests so far: 2.');
    await expect(server.waitForRequest(4)).rejects.toThrow('the scripted model is closed');
  });

  test('that does not arrive in time is an error', async () => {
    const server = await start([]);
    await expect(server.waitForRequest(1, { timeoutMs: 1 })).rejects.toThrow('1 ms have passed. Requests so far: 0.');
  });
});

describe('waits in the middle of a reply', () => {
  test('a gate holds the rest back until it opens', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const server = await start([reply(call('shell', {}), gate(opened), say('afterwards'))]);
    const response = await answerOf(post(server));
    let text = '';
    const seen = new Promise<void>((resolve) =>
      response.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (text.includes('response.output_item.done')) resolve();
      }),
    );

    await seen;
    expect(text).not.toContain('afterwards');
    open();
    await once(response, 'end');
    expect(text).toContain('afterwards');
  });

  test('a gate whose promise rejects opens too', async () => {
    const server = await start([reply(gate(Promise.reject(new Error('no'))), say('afterwards'))]);
    expect((await receive(post(server))).body.toString()).toContain('afterwards');
  });

  test('a pause waits for its time', async () => {
    const server = await start([reply(pause(50), say('afterwards'))]);
    const before = performance.now();
    expect((await receive(post(server))).body.toString()).toContain('afterwards');
    expect(performance.now() - before).toBeGreaterThanOrEqual(49);
  });
});

describe('faults', () => {
  test('status sends a status, a body and headers', async () => {
    const server = await start([
      fault.status(429, { error: { code: 'rate_limit_exceeded' } }, { 'retry-after': '3' }),
      fault.status(400, 'no such model'),
    ]);

    const limited = await receive(post(server));
    const bad = await receive(post(server));

    expect(limited).toMatchObject({ status: 429, error: null });
    expect(limited.headers).toMatchObject({ 'retry-after': '3', 'content-type': 'application/json' });
    expect(JSON.parse(limited.body.toString())).toEqual({ error: { code: 'rate_limit_exceeded' } });
    expect(bad.status).toBe(400);
    expect(bad.body.toString()).toBe('no such model');
    expect(server.unexpected).toEqual([]);
  });

  test('html sends a page', async () => {
    const { status, headers, body } = await receive(post(await start([fault.html(502)])));
    expect(status).toBe(502);
    expect(headers['content-type']).toContain('text/html');
    expect(body.toString()).toContain('<h1>Error 502</h1>');
  });

  test('hang sends headers and nothing more', async () => {
    const server = await start([fault.hang()]);
    const response = await answerOf(post(server));
    expect(response.statusCode).toBe(200);
    let pieces = 0;
    response.on('data', () => pieces++);
    response.on('error', () => {});
    const request = await server.waitForRequest(1);
    await server.close();
    await request.ended;
    expect(pieces).toBe(0);
    expect(request.aborted).toBe(false);
  });

  test('hangBeforeHeaders sends nothing at all', async () => {
    const server = await start([fault.hangBeforeHeaders()]);
    const client = post(server);
    let answered = false;
    client.on('response', () => {
      answered = true;
    });
    const failed = once(client, 'error');
    await server.waitForRequest(1);
    await server.close();
    await failed;
    expect(answered).toBe(false);
  });

  test('reset kills the connection after at most that many bytes', async () => {
    const client = post(await start([fault.reset(25)]));
    const failed = once(client, 'error');
    let bytes = 0;
    client.on('response', (response) => {
      response.on('data', (piece: Buffer) => {
        bytes += piece.length;
      });
      response.on('error', () => {});
    });
    expect(await failed).toMatchObject([{ code: 'ECONNRESET', syscall: 'read' }]);
    expect(bytes).toBeLessThanOrEqual(25);
  });

  test('resetBeforeHeaders sends no answer', async () => {
    const [error] = await once(post(await start([fault.resetBeforeHeaders()])), 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
  });

  test('cut closes the connection at exactly this byte, without the end of the body', async () => {
    const whole = encodeReply(hello);
    for (const at of [0, 1, 300, whole.length]) {
      const server = await startScriptedModel([fault.cut(hello, at)]);
      const { body, error } = await receive(post(server));
      expect(body).toEqual(whole.subarray(0, at));
      expect(error).not.toBeNull();
      await server.close();
    }
  });

  test('truncated ends the body as if it were whole', async () => {
    const { body, error } = await receive(post(await start([fault.truncated(hello, 300)])));
    expect(body).toEqual(encodeReply(hello).subarray(0, 300));
    expect(error).toBeNull();
  });

  test('split sends the same bytes in pieces of that size', async () => {
    const whole = encodeReply(hello);
    for (const size of [1, 7, 64, 1000, whole.length, whole.length + 1]) {
      const server = await startScriptedModel([fault.split(hello, size)]);
      const { body, pieces, error } = await receive(post(server));
      expect(body).toEqual(whole);
      expect(error).toBeNull();
      expect(pieces.slice(0, -1).every((piece) => piece.length === size)).toBe(true);
      expect(pieces).toHaveLength(Math.ceil(whole.length / size));
      await server.close();
    }
  });

  test('badJson puts a frame that is not JSON among the others', async () => {
    const { body } = await receive(post(await start([fault.badJson(hello)])));
    const frames = body.toString().split('\n\n').filter(Boolean);
    const broken = frames.map((frame) => !isJson(frame.slice(frame.indexOf('data: ') + 6)));
    expect(broken.indexOf(true)).toBe(1);
    expect(broken.filter(Boolean)).toHaveLength(1);
    expect(frames.toSpliced(1, 1).join('\n\n')).toBe(encodeReply(hello).toString().trimEnd());
  });

  test('slow waits before each frame and changes no byte', async () => {
    const whole = encodeReply(hello);
    const frames = whole.toString().split('\n\n').length - 1;
    const before = performance.now();
    const { body } = await receive(post(await start([fault.slow(hello, 3)])));
    expect(body).toEqual(whole);
    expect(performance.now() - before).toBeGreaterThanOrEqual(frames * 2);
  });

  test('faults can be combined', async () => {
    const server = await start([fault.split(fault.cut(hello, 10), 4)]);
    const { pieces, error } = await receive(post(server));
    expect(pieces.map((piece) => piece.length)).toEqual([4, 4, 2]);
    expect(error).not.toBeNull();
  });
});

describe('closing', () => {
  test('ends open streams, pauses and idle connections at once', async () => {
    const agent = new Agent({ keepAlive: true });
    const server = await start([hello, reply(pause(60_000)), reply(gate(never))]);
    await receive(post(server, {}, agent));
    const clients = [post(server), post(server)];
    const ends = clients.map(receive);
    await Promise.all(clients.map((client) => once(client, 'response')));

    const before = performance.now();
    await server.close();
    const received = await Promise.all(ends);
    await Promise.all(server.requests.map((request) => request.ended));

    expect(performance.now() - before).toBeLessThan(20_000);
    expect(received.every(({ error }) => error !== null)).toBe(true);
    expect(server.requests.map(({ aborted }) => aborted)).toEqual([false, false, false]);
    agent.destroy();
  });

  test('may be done twice', async () => {
    const server = await start([]);
    await server.close();
    await expect(server.close()).resolves.toBeUndefined();
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
