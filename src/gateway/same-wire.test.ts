import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { sendJson, startServer } from '../model/test-loopback.ts';
import { eventsIn, requestFor } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

function sendFrames(response: ServerResponse, ...data: readonly (object | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(data.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join(''));
}

const chunk = (delta: object, finish: string | null = null) => ({
  id: 'chatcmpl-9',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'real-model',
  x_unknown: { kept: true },
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const USAGE = { id: 'chatcmpl-9', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } };
const HELLO = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hello' }), chunk({}, 'stop')];

describe('a request to a server of the same wire', () => {
  test('is sent with its own bytes when nothing has to change', async () => {
    const server = await startServer((response) => sendJson(response, 200, COMPLETION));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const body = '{ "model": "real-model",\n "messages": [{"role":"user","content":"\\u0048i"}], "x_new": [1, 2.0] }';
    await ask(`${url}/v1/chat/completions`, body);
    expect(server.requests[0]?.body).toBe(body);
  });

  test('keeps its bytes when only the usage is asked for', async () => {
    const server = await startServer((response) => sendFrames(response, ...HELLO, '[DONE]'));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const start =
      '{ "model": "real-model", "stream": true,\n "messages": [{"role":"user","content":"\\u0048i }"}], "x": 2.0 ';
    await ask(`${url}/v1/chat/completions`, `${start}}\n`);
    expect(server.requests[0]?.body).toBe(`${start},"stream_options":{"include_usage":true}}`);
  });

  test('keeps unknown fields when it is edited', async () => {
    const server = await startServer((response) => sendFrames(response, ...HELLO, '[DONE]'));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    await ask(`${url}/v1/chat/completions`, requestFor('chat', { stream: true, x_new: { deep: [null] } }));
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
      model: 'real-model',
      x_new: { deep: [null] },
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('is validated by that server alone', async () => {
    const server = await startServer((response) => sendJson(response, 200, COMPLETION));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const odd = { model: 'alias', messages: 'not a list', response_format: { type: 'grammar' } };
    const answered = await ask(`${url}/v1/chat/completions`, odd);
    expect(answered.status).toBe(200);
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ ...odd, model: 'real-model' });
  });

  test('has the headers of the provider and none of the client', async () => {
    const server = await startServer((response) => sendJson(response, 200, COMPLETION));
    const { url } = await startTestGateway(server.url, { wire: 'chat', headers: { 'x-team': 'blue' } });
    const headers = { authorization: 'Bearer client-key', cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' };
    await ask(`${url}/v1/chat/completions`, requestFor('chat'), { headers });
    const sent = server.requests[0]?.headers;
    expect(sent).toMatchObject({ 'x-team': 'blue', authorization: 'Bearer sk-upstream-secret-0123456789' });
    expect(sent?.cookie).toBeUndefined();
    expect(sent?.['x-forwarded-for']).toBeUndefined();
  });

  test('sends reasoning that the gateway sealed itself to no other server', async () => {
    const server = await startServer((response) => sendJson(response, 200, RESPONSE));
    const { url } = await startTestGateway(server.url, { wire: 'responses' });
    const input = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'oxbow:abc' },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'theirs' },
      { role: 'user', content: 'Hi' },
    ];
    await ask(`${url}/v1/responses`, { model: 'real-model', input });
    expect(JSON.parse(server.requests[0]?.body ?? '').input).toEqual(input.slice(1));
  });
});

const COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'real-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  x_unknown: 1,
};

const RESPONSE = {
  id: 'resp_9',
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};

describe('the answer of a server of the same wire', () => {
  test('passes with the data of its frames, and without the usage that the client did not ask for', async () => {
    const server = await startServer((response) => sendFrames(response, ...HELLO, USAGE, '[DONE]'));
    const { url, report } = await startTestGateway(server.url, { wire: 'chat' });
    const { text, headers, trailers } = await ask(`${url}/chat/completions`, requestFor('chat', { stream: true }));
    expect(text).toBe(`${HELLO.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      trailer: 'x-oxbow-repairs',
    });
    expect(trailers['x-oxbow-repairs']).toBe('');
    expect(await report()).toMatchObject({ inputTokens: 3, outputTokens: 2, repairs: [] });
  });

  test('has the usage in it when the client asked for it', async () => {
    const server = await startServer((response) => sendFrames(response, ...HELLO, USAGE, '[DONE]'));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const asking = { stream: true, stream_options: { include_usage: true } };
    const { text } = await ask(`${url}/v1/chat/completions`, requestFor('chat', asking));
    expect(eventsIn(text)).toContainEqual(USAGE);
  });

  test('ends with the end mark even where the server sends none', async () => {
    const server = await startServer((response) => sendFrames(response, ...HELLO));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const { text } = await ask(`${url}/v1/chat/completions`, requestFor('chat', { stream: true }));
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('has a role in the first delta of each choice', async () => {
    const said = (index: number, delta: object, finish_reason: string | null = null) => ({
      ...chunk({}),
      choices: [{ index, delta, finish_reason }],
    });
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const frames = [
      said(0, { content: 'Hello' }),
      said(0, { content: ' you' }),
      said(1, { role: '', tool_calls: [call] }),
      said(2, { role: 'assistant', content: 'Ho' }),
      said(0, {}, 'stop'),
      said(1, {}, 'tool_calls'),
      said(2, {}, 'stop'),
    ];
    const server = await startServer((response) => sendFrames(response, ...frames, '[DONE]'));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const { text, trailers } = await ask(`${url}/v1/chat/completions`, requestFor('chat', { stream: true }));
    const role = 'assistant';
    expect(eventsIn(text)).toEqual([
      said(0, { content: 'Hello', role }),
      frames[1],
      said(1, { role, tool_calls: [call] }),
      ...frames.slice(3),
      { done: true },
    ]);
    expect(trailers['x-oxbow-repairs']).toBe('');
  });

  test('has a role where it is made from an error', async () => {
    const failed_generation = '<tool_call>{"name":"weather","arguments":{"city":"Ulm"}}</tool_call>';
    const error = { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation };
    const server = await startServer((response) => sendFrames(response, { error }, '[DONE]'));
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const { text } = await ask(`${url}/v1/chat/completions`, requestFor('chat', { stream: true }));
    expect(eventsIn(text)[0]).toMatchObject({ choices: [{ delta: { role: 'assistant' } }] });
  });

  test('is repaired, and the trailer says how', async () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const server = await startServer((response) =>
      sendFrames(response, chunk({ role: 'assistant', tool_calls: [call] }), chunk({}, 'stop'), '[DONE]'),
    );
    const { url, report } = await startTestGateway(server.url, { wire: 'chat' });
    const { text, trailers } = await ask(`${url}/v1/chat/completions`, requestFor('chat', { stream: true }));
    expect(eventsIn(text).at(-2)).toMatchObject({ choices: [{ finish_reason: 'tool_calls' }] });
    expect(trailers['x-oxbow-repairs']).toBe('A1');
    expect((await report()).repairs.map(({ id }) => id)).toEqual(['A1']);
  });

  test.each([
    { wire: 'chat', body: COMPLETION },
    { wire: 'responses', body: RESPONSE },
  ] as const)('in one piece passes as it came ($wire)', async ({ wire, body }) => {
    const text = JSON.stringify(body, null, 2);
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-internal': 'secret' });
      response.end(text);
    });
    const { url, report } = await startTestGateway(server.url, { wire });
    const path = wire === 'chat' ? 'chat/completions' : 'responses';
    const answered = await ask(`${url}/v1/${path}`, requestFor(wire));
    expect(answered.text).toBe(text);
    expect(answered.headers['x-oxbow-repairs']).toBeUndefined();
    expect(answered.headers['x-internal']).toBeUndefined();
    expect(await report()).toMatchObject({ inputTokens: 3, outputTokens: 2, repairs: [], status: 200 });
  });

  test('in one piece is repaired, and a header says how', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"' } };
    const message = { role: 'assistant', content: null, tool_calls: [call] };
    const server = await startServer((response) =>
      sendJson(response, 200, { ...COMPLETION, choices: [{ index: 0, message, finish_reason: 'stop' }] }),
    );
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const answered = await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    const { choices } = JSON.parse(answered.text) as typeof COMPLETION;
    expect(answered.headers['x-oxbow-repairs']?.toString().split(',')).toContain('C7');
    expect(choices[0]).toMatchObject({
      message: { tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Ulm"}' } }] },
      finish_reason: 'tool_calls',
    });
  });

  test('that is an error with a status of success gets a status of failure', async () => {
    const server = await startServer((response) =>
      sendJson(response, 200, { error: { code: 'insufficient_quota', message: 'Nothing left.' } }),
    );
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const answered = await ask(`${url}/v1/chat/completions`, requestFor('chat'));
    expect(answered.status).toBe(429);
    expect(JSON.parse(answered.text).error.code).toBe('insufficient_quota');
  });

  test('that begins with an error in the stream gets a status', async () => {
    const server = await startServer((response) =>
      sendFrames(response, { error: { code: 503, message: 'No workers.' } }, '[DONE]'),
    );
    const { url } = await startTestGateway(server.url, { wire: 'chat' });
    const answered = await ask(`${url}/v1/chat/completions`, requestFor('chat', { stream: true }));
    expect(answered.status).toBe(503);
    expect(JSON.parse(answered.text).error.message).toBe('No workers.');
  });

  test('is over for a Responses client once it has failed, although the server keeps the connection', async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const events = [
        { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', status: 'in_progress' } },
        {
          type: 'response.output_item.added',
          sequence_number: 1,
          output_index: 0,
          item: { type: 'message', id: 'm', role: 'assistant', content: [] },
        },
        { type: 'error', sequence_number: 2, code: 'server_is_overloaded', message: 'Slow down.' },
      ];
      response.write(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
    });
    const { url } = await startTestGateway(server.url, { wire: 'responses' });
    const { text } = await ask(`${url}/v1/responses`, requestFor('responses', { stream: true }));
    expect(eventsIn(text).at(-1)).toMatchObject({
      type: 'response.failed',
      sequence_number: 3,
      response: { id: 'resp_1', status: 'failed', error: { code: 'server_is_overloaded' } },
    });
  });
});
