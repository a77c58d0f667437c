import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { PATHS, requestFor } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

const KNOWN = {
  'x-request-id': 'req_1',
  'request-id': 'req_2',
  'apim-request-id': 'req_3',
  'openai-processing-ms': '12',
  'retry-after': '7',
  'retry-after-ms': '7000',
  'x-ratelimit-remaining-requests': '59',
  'x-ratelimit-reset-tokens': '6m0s',
  'anthropic-ratelimit-tokens-remaining': '100',
};
const OTHERS = { 'set-cookie': 'a=b', 'x-internal': 'secret', 'openai-organization': 'mine', server: 'x' };

const CHUNKS = [
  { id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }] },
  { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
];
const COMPLETION = {
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
};

const WAYS = (['chat', 'responses'] as const).flatMap((client) => [true, false].map((stream) => ({ client, stream })));

describe.each(WAYS)('headers of the server, for a $client client with stream $stream', ({ client, stream }) => {
  test('that clients use are passed on, and no others', async () => {
    const server = await startServer((response) => {
      const headers = { ...KNOWN, ...OTHERS };
      if (!stream) return sendJson(response, 200, COMPLETION, headers);
      response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
      response.end(`${CHUNKS.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
    });
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const { status, headers } = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream }));
    expect([status, headers]).toMatchObject([200, KNOWN]);
    for (const name of Object.keys(OTHERS)) expect(headers[name]).toBeUndefined();
  });

  test.each([429, 500, 503])('are passed on with a failure (%i)', async (code) => {
    const server = await startServer((response) => sendJson(response, code, { error: { message: 'No.' } }, KNOWN));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const { status, headers } = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream }));
    expect([status, headers]).toMatchObject([code, KNOWN]);
  });
});

const THREAD = { 'session-id': 't1', session_id: 't1', 'thread-id': 't1', 'x-client-request-id': 't1' };

describe('the thread of a client', () => {
  test.each(['responses', 'chat'] as const)('is named to a server of the same wire only (%s)', async (wire) => {
    const server = await startServer((response) => sendJson(response, 400, { error: { message: 'No.' } }));
    const { url } = await startTestGateway(server.url, { wire });
    await ask(`${url}${PATHS.responses}`, requestFor('responses', { stream: true }), { headers: THREAD });
    const { headers } = server.requests[0] ?? {};
    if (wire === 'responses') expect(headers).toMatchObject(THREAD);
    for (const name of ['session-id', 'session_id', 'thread-id'])
      if (wire !== 'responses') expect(headers).not.toHaveProperty([name]);
    expect(headers).toHaveProperty(['x-client-request-id']);
  });
});
