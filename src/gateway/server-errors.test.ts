import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { eventsIn, PATHS, requestFor, type TestedWire } from './test-answer.ts';
import { ask, SECRET, startTestGateway } from './test-gateway.ts';

const WIRES = ['chat', 'responses'] as const;
const WAYS = WIRES.flatMap((client) =>
  WIRES.flatMap((server) => [true, false].map((stream) => ({ client, server, stream }))),
);

interface Way {
  readonly client: TestedWire;
  readonly server: TestedWire;
  readonly stream: boolean;
}

/** Returns the status and the error that a client gets for an answer of the server. */
async function errorFor({ client, server, stream }: Way, answer: (response: ServerResponse) => void) {
  const upstream = await startServer(answer);
  const { url, report } = await startTestGateway(upstream.url, { wire: server });
  const { status, text } = await ask(`${url}${PATHS[client]}`, requestFor(client, { stream }));
  const last = status === 200 ? eventsIn(text).at(-1) : JSON.parse(text);
  const failed = last.response as { readonly error: { code: string; message: string } } | undefined;
  const error = failed?.error ?? (last.error as { code: string; message: string });
  return { status, error, text, url: upstream.url, report: await report() };
}

const refusal =
  (status: number, message: string, fields: object = {}) =>
  (response: ServerResponse): void =>
    sendJson(response, status, { error: { message, ...fields } });

describe.each(WAYS)('the reason of a $server server, for a $client client with stream $stream', (way) => {
  test.each([401, 403])('reaches the client with its status: %i', async (status) => {
    const { error, ...got } = await errorFor(way, refusal(status, 'This project may not use the model.'));
    expect([got.status, error]).toMatchObject([
      status,
      { code: 'upstream_auth', message: 'This project may not use the model.' },
    ]);
  });

  test('reaches the client without keys', async () => {
    const said = `The key ${SECRET} (sk-up****6789, also known as sk-proj-abc) is wrong.`;
    const { error, text, report } = await errorFor(way, refusal(401, said, { code: 'invalid_api_key' }));
    expect(error).toMatchObject({
      code: 'upstream_auth',
      message: 'The key [redacted] ([redacted], also known as [redacted]) is wrong.',
    });
    expect(text + JSON.stringify(report)).not.toContain(SECRET);
  });

  test('reaches the client with 503, and without an address', async () => {
    const { status, error, url, text } = await errorFor(way, refusal(503, 'The model is being loaded.'));
    expect([status, error.message]).toEqual([503, 'The model is being loaded.']);
    expect(text).not.toContain(new URL(url).host);
  });

  test('is replaced where the server gives none, without an address', async () => {
    const { status, error } = await errorFor(way, (response) => void response.writeHead(503).end());
    expect([status, error.message]).toEqual([503, 'The model server answered with status 503 and gave no reason.']);
  });

  test('reaches the client when the input is too long', async () => {
    const said = "This model's maximum context length is 100 tokens. However, you requested 4096 tokens.";
    const { status, error } = await errorFor(way, refusal(400, said));
    const isInside = way.client === 'responses' && way.stream;
    expect([status, error]).toMatchObject([isInside ? 200 : 400, { code: 'context_length_exceeded', message: said }]);
  });

  test.each([
    { what: 'a status in the body', fields: { status: 400 } },
    { what: 'a status as the code', fields: { code: 400 } },
    { what: 'the name of a status', fields: { type: 'invalid_request_error' } },
  ])('has the status that an error with the status of success names ($what)', async ({ fields }) => {
    const { status, error } = await errorFor(way, refusal(200, 'The tools are wrong.', fields));
    expect([status, error.message]).toEqual([400, 'The tools are wrong.']);
  });

  test('is 400 for a call that the server could not read and that holds no call', async () => {
    const fields = { type: 'invalid_request_error', code: 'tool_use_failed', failed_generation: 'I would rather not.' };
    const { status, error } = await errorFor(way, refusal(400, 'Failed to call a function.', fields));
    expect([status, error.message]).toEqual([400, 'Failed to call a function.']);
  });
});

test.each([
  { status: 401, code: 'invalid_api_key', tried: 'false' },
  { status: 429, code: 'insufficient_quota', tried: 'false' },
  { status: 429, code: 'rate_limit_exceeded', tried: undefined },
  { status: 503, code: 'overloaded', tried: undefined },
])('a client is told not to try again after $status $code: $tried', async ({ status, code, tried }) => {
  const upstream = await startServer(refusal(status, 'No.', { code }));
  const { url } = await startTestGateway(upstream.url, { wire: 'chat' });
  const { headers } = await ask(`${url}${PATHS.chat}`, requestFor('chat', {}));
  expect(headers['x-should-retry']).toBe(tried);
});

describe.each([
  { client: 'chat', stream: true },
  { client: 'chat', stream: false },
  { client: 'responses', stream: true },
] as const)('a line with the field error, for a $client client with stream $stream', ({ client, stream }) => {
  const way = { client, stream, server: 'chat' } as const;
  const line = (value: object) => (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`error: ${JSON.stringify(value)}\n\n`);
  };

  test('is a failure with its reason', async () => {
    const reason = { code: 500, message: 'The slot is gone.', type: 'server_error' };
    const { status, error } = await errorFor(way, line(reason));
    expect([status, error.message]).toEqual([500, 'The slot is gone.']);
  });

  test('says that the input is too long', async () => {
    const said = 'the request exceeds the available context size, try increasing it';
    const { error } = await errorFor(way, line({ error: { code: 400, message: said } }));
    expect(error).toMatchObject({ code: 'context_length_exceeded', message: said });
  });
});
