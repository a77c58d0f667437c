import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { requestFor } from './test-answer.ts';
import { ask, startTestGateway, testOptions } from './test-gateway.ts';

/** A server that gets no request. */
const NOWHERE = 'http://127.0.0.1:9/v1';

const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};

describe('requests that are not exchanges', () => {
  test('the models are listed, and each can be read', async () => {
    const { url } = await startTestGateway(NOWHERE);
    const entry = (id: string) => ({ id, object: 'model', created: 0, owned_by: 'test' });
    expect(JSON.parse((await ask(`${url}/v1/models`)).text)).toEqual({
      object: 'list',
      data: [entry('real-model'), entry('alias')],
    });
    expect(JSON.parse((await ask(`${url}/models/alias`)).text)).toEqual(entry('alias'));
    expect((await ask(`${url}/v1/models/none`)).status).toBe(404);
  });

  test('health and metrics are reported', async () => {
    const { url } = await startTestGateway(NOWHERE);
    expect(await ask(`${url}/healthz`)).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await ask(`${url}/health`)).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await ask(`${url}/metrics`)).toMatchObject({ status: 200, text: 'oxbow_up 1\n' });
  });

  test('an unknown path and a wrong method are different errors', async () => {
    const { url, reports } = await startTestGateway(NOWHERE);
    const lost = await ask(`${url}/v1/embeddings`, {});
    expect(lost.status).toBe(404);
    expect(JSON.parse(lost.text).error).toMatchObject({
      type: 'invalid_request_error',
      code: 'not_found',
      param: null,
    });
    const wrong = await ask(`${url}/v1/chat/completions?x=1`);
    expect(wrong.status).toBe(405);
    expect(wrong.headers.allow).toBe('POST');
    expect(reports).toEqual([]);
  });

  test('a WebSocket is refused, and its connection closed', async () => {
    const { port } = await startTestGateway(NOWHERE);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    let text = '';
    for await (const bytes of socket) text += String(bytes);
    expect(text).toMatch(/^HTTP\/1\.1 426 /);
    expect(text).toContain('speaks no WebSocket');
  });
});

describe('a client key', () => {
  test('is required everywhere but at /healthz and /health', async () => {
    const { url, report } = await startTestGateway(NOWHERE, {}, { clientKeys: ['first-key', 'second-key'] });
    expect((await ask(`${url}/healthz`)).status).toBe(200);
    expect((await ask(`${url}/health`)).status).toBe(200);
    expect((await ask(`${url}/v1/models`)).status).toBe(401);
    expect((await ask(`${url}/metrics`, undefined, { headers: { authorization: 'Bearer first-ke' } })).status).toBe(
      401,
    );
    expect((await ask(`${url}/v1/chat/completions`, requestFor('chat'))).status).toBe(401);
    expect(await report()).toMatchObject({ status: 401, clientWire: 'chat', provider: null });
  });

  test('is accepted as a bearer token and as x-api-key', async () => {
    const { url } = await startTestGateway(NOWHERE, {}, { clientKeys: ['first-key', 'second-key'] });
    const bearer = { authorization: 'Bearer second-key' };
    expect((await ask(`${url}/v1/models`, undefined, { headers: bearer })).status).toBe(200);
    expect((await ask(`${url}/v1/models`, undefined, { headers: { 'x-api-key': 'first-key' } })).status).toBe(200);
  });
});

describe('a request that cannot be served', () => {
  test('is refused with a sentence', async () => {
    const { url, report } = await startTestGateway(NOWHERE);
    const post = async (body: object | string) => {
      const { status, text } = await ask(`${url}/v1/responses`, body);
      return { status, ...JSON.parse(text).error };
    };
    expect(await post('{"model":')).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await post('[]')).toMatchObject({ status: 400, message: 'The body of the request must be a JSON object.' });
    expect(await post({ input: 'x' })).toMatchObject({ status: 400, param: 'model' });
    expect(await post({ model: 'none', input: 'x' })).toMatchObject({ status: 404, code: 'model_not_found' });
    expect(await report(4)).toMatchObject({ status: 404, model: null, serverWire: null });
  });

  test('is refused where the other wire cannot carry it', async () => {
    const { url } = await startTestGateway(NOWHERE, { wire: 'chat' });
    const { status, text } = await ask(`${url}/v1/responses`, { model: 'alias', input: 5 });
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toBe(
      'The field input of the request must be a string or an array of items.',
    );
  });

  test.each([
    { how: 'announced', headers: {} },
    { how: 'in chunks', headers: { 'transfer-encoding': 'chunked' } },
  ])('is refused when it is too long ($how)', async ({ headers }) => {
    const limits = { ...DEFAULT_LIMITS, maxBodyBytes: 1000 };
    const { url, report } = await startTestGateway(NOWHERE, {}, { limits });
    const body = JSON.stringify(requestFor('chat', { padding: 'x'.repeat(2000) }));
    const answered = await ask(`${url}/v1/chat/completions`, body, { headers });
    expect(answered.status).toBe(413);
    expect((await report()).status).toBe(413);
  });

  test('is answered with the error that the server cannot be reached', async () => {
    const { url, report } = await startTestGateway(NOWHERE, { wire: 'chat' });
    const { status, text } = await ask(`${url}/v1/chat/completions`, requestFor('chat', { stream: true }));
    expect(status).toBe(502);
    expect(JSON.parse(text).error.code).toBe('upstream_unreachable');
    expect((await report()).error).toContain('upstream_unreachable');
  });

  test('follows no redirect', async () => {
    const other = await startServer((response) => sendJson(response, 200, COMPLETION));
    const server = await startServer((response) => {
      response.writeHead(307, { location: `${other.url}/chat/completions` }).end();
    });
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    expect((await ask(`${url}/v1/chat/completions`, requestFor('chat'))).status).toBe(502);
    expect(other.requests).toEqual([]);
  });
});

describe('the wire of a server that speaks either', () => {
  test('is determined once', async () => {
    const server = await startServer((response, _turn, { url }) => {
      if (url === '/v1/responses') sendJson(response, 404, { detail: 'Not Found' });
      else sendJson(response, 200, COMPLETION);
    });
    const { url, report } = await startTestGateway(server.url, { wire: 'auto' });
    for (let n = 0; n < 2; n++) expect((await ask(`${url}/v1/responses`, requestFor('responses'))).status).toBe(200);
    expect((await ask(`${url}/v1/chat/completions`, requestFor('chat'))).status).toBe(200);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ]);
    expect(await report()).toMatchObject({ serverWire: 'chat' });
  });

  test('is that of the client where the server speaks both', async () => {
    const server = await startServer((response, _turn, { url }) =>
      sendJson(response, 200, url === '/v1/responses' ? { id: 'r', object: 'response', output: [] } : COMPLETION),
    );
    const { url } = await startTestGateway(server.url, { wire: 'auto' });
    await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    await ask(`${url}/v1/responses`, requestFor('responses'));
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/responses']);
  });

  test('is chat for tools that few servers know on the Responses wire', async () => {
    const server = await startServer((response) => sendJson(response, 200, COMPLETION));
    const { url } = await startTestGateway(server.url, { wire: 'auto' });
    const custom = { type: 'custom', name: 'apply_patch', description: '' };
    await ask(`${url}/v1/responses`, { ...requestFor('responses'), tools: [custom] });
    const nested = { type: 'additional_tools', role: 'developer', tools: [custom] };
    await ask(`${url}/v1/responses`, { ...requestFor('responses'), input: [nested] });
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
  });

  test('is not determined by a server that does not know the model', async () => {
    const server = await startServer((response, _turn, { url }) => {
      if (url === '/v1/responses') sendJson(response, 404, { detail: 'Not Found' });
      else sendJson(response, 404, { error: { message: 'No such model', code: 'model_not_found' } });
    });
    const { url } = await startTestGateway(server.url, { wire: 'auto' });
    const { status, text } = await ask(`${url}/v1/responses`, requestFor('responses'));
    expect(status).toBe(404);
    expect(JSON.parse(text).error.message).toContain('No such model');
  });

  test.each([
    { message: 'The model `x` does not exist.', code: 'model_not_found' },
    { message: "model 'x' not found", type: 'not_found_error' },
    { message: 'The model `x` does not exist.', type: 'NotFoundError', param: 'model', code: 404 },
  ])('is not looked for once the server says that it lacks the model: %j', async (error) => {
    const server = await startServer((response) => sendJson(response, 404, { error }));
    const { url } = await startTestGateway(server.url, { wire: 'auto' });
    const { status, text } = await ask(`${url}/v1/responses`, requestFor('responses'));
    expect([status, JSON.parse(text).error.message]).toEqual([404, error.message]);
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/responses']);
  });

  test('is looked for when the model has another one', async () => {
    const message = 'This model is only supported in v1/responses and not in v1/chat/completions.';
    const server = await startServer((response, _turn, { url }) => {
      if (url === '/v1/responses') sendJson(response, 200, { id: 'r', object: 'response', output: [] });
      else sendJson(response, 404, { error: { message, param: 'model', code: null } });
    });
    const { url } = await startTestGateway(server.url, { wire: 'auto' });
    await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/responses']);
  });

  test('is not determined by a server that has neither path', async () => {
    const server = await startServer((response, turn) => sendJson(response, 404, { error: { message: `No ${turn}` } }));
    const { url } = await startTestGateway(server.url, { wire: 'auto' });
    const { status, text } = await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    expect(status).toBe(404);
    expect(JSON.parse(text).error.message).toContain('No 1');
  });
});

describe('while it runs', () => {
  test('new settings hold for later exchanges', async () => {
    const { url, gateway } = await startTestGateway(NOWHERE);
    gateway.reload({ ...testOptions(NOWHERE), clientKeys: ['new-key'] });
    expect((await ask(`${url}/v1/models`)).status).toBe(401);
  });

  test('it reads no more bodies than it has room for until others are answered', async () => {
    const waiting: (() => void)[] = [];
    const server = await startServer((response) => {
      waiting.push(() => sendJson(response, 200, COMPLETION));
    });
    const limits = { ...DEFAULT_LIMITS, maxBodiesBytes: 1000, maxBodyWaitMs: 60_000 };
    const { url } = await startTestGateway(server.url, { wire: 'chat' }, { limits });
    const post = (headers = {}) => {
      const body = JSON.stringify(requestFor('chat', { padding: 'x'.repeat(500) }));
      return ask(`${url}/v1/chat/completions`, body, { headers });
    };
    const answers = [post(), post({ 'transfer-encoding': 'chunked' }), post()];
    for (let n = 0; n < answers.length; n++) {
      while (waiting.length === n) await new Promise((resolve) => setTimeout(resolve, 5));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(server.requests).toHaveLength(n + 1);
      waiting[n]?.();
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test('it refuses a body that waits too long for room', async () => {
    const server = await startServer(() => {});
    const limits = { ...DEFAULT_LIMITS, maxBodiesBytes: 1, maxBodyWaitMs: 20 };
    const { url } = await startTestGateway(server.url, { wire: 'chat' }, { limits });
    void ask(`${url}/v1/chat/completions`, requestFor('chat')).catch(() => {});
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const { status, headers, text } = await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    expect([status, headers['retry-after'], JSON.parse(text).error.code]).toEqual([503, '5', 'server_is_overloaded']);
    expect(server.requests).toHaveLength(1);
  });

  test('it accepts no more exchanges than its limit, and none when it drains', async () => {
    const waiting: (() => void)[] = [];
    const server = await startServer((response) => {
      waiting.push(() => sendJson(response, 200, COMPLETION));
    });
    const limits = { ...DEFAULT_LIMITS, maxExchanges: 1 };
    const { url, gateway, report } = await startTestGateway(server.url, { wire: 'chat' }, { limits });
    const first = ask(`${url}/v1/chat/completions`, requestFor('chat'));
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const second = await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    expect(second.status).toBe(503);
    expect(second.headers['retry-after']).toBe('1');
    let isDrained = false;
    const drained = gateway.drain(60_000).then(() => {
      isDrained = true;
    });
    expect((await ask(`${url}/healthz`)).status).toBe(503);
    expect((await ask(`${url}/v1/chat/completions`, requestFor('chat'))).status).toBe(503);
    expect(isDrained).toBe(false);
    waiting[0]?.();
    expect((await first).status).toBe(200);
    await drained;
    expect((await report(3)).status).toBe(200);
    await expect.poll(server.openConnections).toBe(0);
  });
});
