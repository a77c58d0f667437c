import { expect, test } from 'vitest';
import { restoreNames } from '../adapt/adapt-frames.ts';
import { adaptRequest } from '../adapt/adapt-request.ts';
import { learn } from '../adapt/learn.ts';
import type { ModelRequest, StreamedEvent } from '../base/model.ts';
import { repairStream } from '../repair/repair-stream.ts';
import { wire as chat } from '../wire/chat/wire.ts';
import { ask, REQUEST, sendJson, startServer, testModel } from './test-loopback.ts';

const OPTIONS = {
  wire: chat,
  repair: async () => repairStream,
  adapt: async () => ({ wire: chat, adaptRequest, restoreNames, learn }),
};
const DOTTED: ModelRequest = {
  ...REQUEST,
  tools: [{ type: 'function', name: 'docs.search', description: '', strict: false, parameters: { type: 'object' } }],
};
const DONE =
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const repairsOf = (events: readonly StreamedEvent[]) =>
  events.flatMap((event) => (event.type === 'repair' ? [event.repair] : []));

test('a request is sent according to the settings of the server', async () => {
  const server = await startServer((response) => response.end(DONE));
  const compat = { dropFields: ['parallel_tool_calls'] };
  const { error } = await ask(testModel(server.url, { compat }, OPTIONS), undefined, DOTTED);
  expect(error).toBeUndefined();
  expect(JSON.parse(server.requests[0]?.body ?? '')).not.toHaveProperty('parallel_tool_calls');
});

test('a refused part of a request is changed, reported, and not sent again', async () => {
  const server = await startServer((response) => {
    const message = "Unknown parameter: 'parallel_tool_calls'.";
    const error = { message, type: 'invalid_request_error', param: 'parallel_tool_calls', code: 'unknown_parameter' };
    if ('parallel_tool_calls' in JSON.parse(server.requests.at(-1)?.body ?? '')) sendJson(response, 400, { error });
    else response.end(DONE);
  });
  const model = testModel(server.url, {}, OPTIONS);
  const lessonsOf = async () => {
    const { events, error } = await ask(model, undefined, DOTTED);
    expect(error).toBeUndefined();
    return repairsOf(events).filter(({ id }) => id === 'learned');
  };
  expect(await lessonsOf()).toMatchObject([{ frame: null, title: expect.stringContaining('parallel_tool_calls') }]);
  expect(await lessonsOf()).toEqual([]);
  expect(server.requests).toHaveLength(3);
});

test('a refusal without a lesson is thrown as it is', async () => {
  const server = await startServer((response) =>
    sendJson(response, 400, { error: { message: 'The weather is bad.' } }),
  );
  const { error } = await ask(testModel(server.url, {}, OPTIONS), undefined, DOTTED);
  expect(error?.message).toContain('The weather is bad.');
  expect(server.requests).toHaveLength(1);
});

test("a call of a tool that was sent under another name has the tool's own name", async () => {
  const server = await startServer((response) => {
    const { tools } = JSON.parse(server.requests[0]?.body ?? '');
    const call = { index: 0, id: 'a', type: 'function', function: { name: tools[0].function.name, arguments: '{}' } };
    const chunk = { id: 'c', choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  const { events } = await ask(testModel(server.url, { compat: { toolNames: 'plain' } }, OPTIONS), undefined, DOTTED);
  expect(server.requests[0]?.body).not.toContain('docs.search');
  const calls = events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
  expect(calls).toMatchObject([{ type: 'function_call', name: 'docs.search', arguments: '{}' }]);
});

test('a call that the server left in the text is found by the name that was sent', async () => {
  const server = await startServer((response) => {
    const { tools } = JSON.parse(server.requests[0]?.body ?? '');
    const content = `<tool_call>{"name":"${tools[0].function.name}","arguments":{}}</tool_call>`;
    const chunk = { id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  const { events } = await ask(testModel(server.url, { compat: { toolNames: 'plain' } }, OPTIONS), undefined, DOTTED);
  const items = events.flatMap((event) => (event.type === 'item.done' ? [event.item] : []));
  expect(items).toMatchObject([{ type: 'function_call', name: 'docs.search', arguments: '{}' }]);
});
