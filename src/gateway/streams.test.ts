import { request as send } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { fault, gate, reply, say, startScriptedModel } from '../testing/index.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { eventsIn, PATHS, requestFor } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

async function startModel(...[script]: Parameters<typeof startScriptedModel>) {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  return model;
}

describe('a client that leaves', () => {
  test('ends the request to the server at once, in the middle of a stream', async () => {
    const model = await startModel([reply(say('Hello'), gate(new Promise(() => {})))]);
    const { url, report } = await startTestGateway(model.url, { wire: 'chat' });
    const client = send(`${url}/v1/responses`, { method: 'POST', agent: false });
    client.on('error', () => {});
    client.end(JSON.stringify(requestFor('responses', { stream: true })));
    client.on('response', (incoming) => incoming.once('data', () => client.destroy()));
    const request = await model.waitForRequest(1);
    await request.ended;
    expect(request.aborted).toBe(true);
    expect(await report()).toMatchObject({ status: 499, error: null });
  });

  test('ends it before the server has sent anything', async () => {
    const model = await startModel([fault.hangBeforeHeaders()]);
    const { url, report, reports } = await startTestGateway(model.url, { wire: 'chat' });
    const client = send(`${url}/v1/chat/completions`, { method: 'POST', agent: false });
    client.on('error', () => {});
    client.end(JSON.stringify(requestFor('chat')));
    const request = await model.waitForRequest(1);
    client.destroy();
    await request.ended;
    expect(request.aborted).toBe(true);
    expect(await report()).toMatchObject({ status: 499, firstByteMs: null });
    expect(reports).toHaveLength(1);
  });

  test('while it still sends its request leaves nothing open', async () => {
    const { port, report } = await startTestGateway('http://127.0.0.1:9/v1');
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"model"');
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect(await report()).toMatchObject({ status: 499 });
  });
});

describe('time', () => {
  test('a server that is silent for too long results in a status', async () => {
    const model = await startModel([fault.hang()]);
    const limits = { ...DEFAULT_LIMITS, idleTimeoutMs: 100 };
    const { url } = await startTestGateway(model.url, { wire: 'chat' }, { limits });
    const { status, text } = await ask(`${url}/v1/responses`, requestFor('responses', { stream: true }));
    expect(status).toBe(504);
    expect(JSON.parse(text).error.code).toBe('upstream_timeout');
  });

  test.each(['responses', 'chat'] as const)(
    'an exchange that takes too long ends inside its stream (%s)',
    async (client) => {
      const model = await startModel([reply(say('Hello'), gate(new Promise(() => {})))]);
      const limits = { ...DEFAULT_LIMITS, maxExchangeMs: 300 };
      const { url, report } = await startTestGateway(model.url, { wire: 'chat' }, { limits });
      const { status, text } = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream: true }));
      expect(status).toBe(200);
      const last = eventsIn(text).at(-1);
      const error =
        client === 'chat' ? last?.error : (last?.response as { readonly error?: unknown } | undefined)?.error;
      expect(error).toMatchObject({ code: 'upstream_timeout', message: expect.stringContaining('longer than') });
      expect((await report()).error).toContain('upstream_timeout');
    },
  );
});

describe('a server that is silent before its first word', () => {
  const limits = { ...DEFAULT_LIMITS, silenceMs: 50 };
  const PINGS = /^(?:: ping\n){2,}/;
  const later = () => new Promise<void>((resolve) => setTimeout(resolve, 500));
  const CASES = (['responses', 'chat'] as const).flatMap((client) =>
    (['responses', 'chat'] as const).map((server) => ({ client, server })),
  );

  test.each(CASES)('keeps a $client client of a $server server waiting with pings', async ({ client, server }) => {
    const model = await startModel([reply(gate(later()), say('Hello'))]);
    const { url, report } = await startTestGateway(model.url, { wire: server }, { limits });
    const { status, text } = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream: true }));
    expect(status).toBe(200);
    expect(text).toMatch(PINGS);
    expect(text).toContain('Hello');
    expect(await report()).toMatchObject({ status: 200, error: null });
  });

  test.each(CASES)('and then fails is an error in the stream ($client, $server)', async ({ client, server }) => {
    const slow = await startServer((response) => {
      void later().then(() => sendJson(response, 429, { error: { message: 'Slow down.' } }));
    });
    const { url, report } = await startTestGateway(slow.url, { wire: server }, { limits });
    const { status, text } = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream: true }));
    expect(status).toBe(200);
    expect(text).toMatch(PINGS);
    const events = eventsIn(text);
    const error = { code: 'rate_limit_exceeded', message: 'Slow down.' };
    if (client === 'chat') expect(events.at(-1)).toMatchObject({ error });
    else {
      expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.in_progress', 'response.failed']);
      expect(events[2]).toMatchObject({ response: { error } });
    }
    expect(await report()).toMatchObject({
      status: 200,
      error: expect.stringMatching(/^rate_limit_exceeded: .*Slow down/),
    });
  });

  test('and sends only comments makes the gateway send its own', async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const comments = setInterval(() => response.write(': PROCESSING\n\n'), 10);
      void later().then(() => {
        clearInterval(comments);
        response.end('data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\n');
      });
    });
    const { url } = await startTestGateway(server.url, { wire: 'chat' }, { limits });
    const { text } = await ask(`${url}/v1/chat/completions`, requestFor('chat', { stream: true }));
    expect(text).toMatch(PINGS);
    expect(text).toContain('Hello');
  });

  test('has an ordinary answer for a client that does not stream', async () => {
    const model = await startModel([reply(gate(later()), say('Hello'))]);
    const { url } = await startTestGateway(model.url, { wire: 'chat' }, { limits });
    const { status, text } = await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    expect([status, JSON.parse(text).choices[0].message.content]).toEqual([200, 'Hello']);
  });
});

describe('a client that reads slowly', () => {
  test('slows the server down instead of filling the memory', async () => {
    const piece = 'x'.repeat(16 * 1024);
    const total = 4000;
    let written = 0;
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const choices = [{ index: 0, delta: { content: 'x' }, finish_reason: null }];
      const chunk = `data: ${JSON.stringify({ id: 'c', choices, padding: piece })}\n\n`;
      const pump = () => {
        while (written < total) {
          written++;
          if (!response.write(chunk)) return void response.once('drain', pump);
        }
        response.end('data: [DONE]\n\n');
      };
      pump();
    });
    const { port } = await startTestGateway(server.url, { wire: 'chat' });
    const body = JSON.stringify(requestFor('chat', { stream: true }));
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    // Waits until nothing moves: the buffers of the system are full then.
    for (let before = -1; before !== written || written === 0; ) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(written).toBeLessThan(total);
    let received = 0;
    socket.on('data', (bytes) => {
      received += bytes.byteLength;
    });
    socket.resume();
    while (received < total * piece.length) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(written).toBe(total);
  });
});

describe('the beginning of a stream', () => {
  test('arrives before its end has come', async () => {
    let open = () => {};
    const model = await startModel([
      reply(
        say('First'),
        gate(
          new Promise<void>((resolve) => {
            open = resolve;
          }),
        ),
        say('second'),
      ),
    ]);
    const { url } = await startTestGateway(model.url, { wire: 'responses' });
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(requestFor('chat', { stream: true })),
    });
    let text = '';
    for await (const bytes of response.body ?? []) {
      text += Buffer.from(bytes).toString();
      if (text.includes('First')) open();
    }
    expect(text).toContain('second');
  });

  test('has no trailer for a client of HTTP/1.0', async () => {
    const model = await startModel([reply(say('Hello'))]);
    const { port } = await startTestGateway(model.url, { wire: 'chat' });
    const body = JSON.stringify(requestFor('chat', { stream: true }));
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST /v1/chat/completions HTTP/1.0\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    let text = '';
    for await (const bytes of socket) text += String(bytes);
    expect(text.toLowerCase()).not.toContain('trailer');
    expect(text).toContain('data: [DONE]');
  });
});

describe('a server that dies', () => {
  const answer = reply(say('A word or two.'), { id: 'answer' });

  test.each([
    { client: 'responses', server: 'chat' },
    { client: 'chat', server: 'chat' },
    { client: 'responses', server: 'responses' },
  ] as const)('anywhere in its answer is told of once ($client from $server)', async ({ client, server }) => {
    const cuts = Array.from({ length: 40 }, (_, n) => n * 61);
    const model = await startModel(cuts.map((at) => fault.cut(answer, at)));
    const { url, report, reports } = await startTestGateway(model.url, { wire: server });
    for (const [n] of cuts.entries()) {
      const { status, text } = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream: true }));
      const { error } = await report(n + 1);
      if (status !== 200) expect(JSON.parse(text).error.code).toBe('stream_closed');
      else {
        const last = eventsIn(text).at(-1);
        const isFailed = last?.error !== undefined || last?.type === 'response.failed';
        expect(isFailed).toBe(error !== null);
        if (!isFailed) expect(last?.done === true || last?.type === 'response.completed').toBe(true);
      }
    }
    expect(reports).toHaveLength(cuts.length);
  });
});
