import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ask, SECRET, startTestGateway } from '../../../../src/gateway/test-gateway.ts';
import { createAgent } from '../../../../src/index.ts';
import { startServer } from '../../../../src/model/test-loopback.ts';
import { call, createWorkspace, reply, say, startScriptedModel } from '../../../../src/testing/index.ts';

// Runs as `scratch.test.ts` in the folder of the wire, in a copy of the tree whose registry has the wire.

const LINES = [{ id: 'r' }, { say: 'Let me ' }, { say: 'see.' }, { call: { id: 'c', name: 'look', input: '{}' } }];
const REQUEST = { model: 'alias', turns: [{ user: 'Hello' }], stream: true };

function sendLines(response: ServerResponse, lines: readonly object[] = [...LINES, { over: true }]): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const linesIn = (text: string) => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));

async function chatModel(...answers: Parameters<typeof startScriptedModel>) {
  const model = await startScriptedModel(...answers);
  onTestFinished(() => model.close());
  return model;
}

test.each([true, false])('a chat server answers a scratch client (stream: %s)', async (stream) => {
  const model = await chatModel([reply(say('Let me see.'), call('look', {}, { callId: 'c' }))]);
  const { url, report } = await startTestGateway(model.url, { wire: 'chat' });
  const { status, headers, text } = await ask(`${url}/v1/scratch`, { ...REQUEST, stream });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe(stream ? 'application/x-ndjson' : 'application/json');
  const lines = stream ? linesIn(text) : [JSON.parse(text)];
  expect(lines.map((line) => line.say ?? '').join('')).toBe('Let me see.');
  expect(lines.flatMap((line) => line.calls ?? line.call ?? [])).toEqual([{ id: 'c', name: 'look', input: '{}' }]);
  expect(lines.at(-1)).toMatchObject({ over: true, usage: { totalTokens: expect.any(Number) } });
  expect(model.requests[0]?.body).toMatchObject({
    model: 'real-model',
    messages: [{ role: 'user', content: 'Hello' }],
  });
  expect(await report()).toMatchObject({ clientWire: 'scratch', serverWire: 'chat', status: 200 });
});

test('a scratch server answers a chat client', async () => {
  const server = await startServer((response) => sendLines(response));
  const { url, report } = await startTestGateway(server.url, { wire: 'scratch' });
  const messages = [{ role: 'user', content: 'Hello' }];
  const { status, text } = await ask(`${url}/v1/chat/completions`, { model: 'alias', messages });
  expect(status).toBe(200);
  const [choice] = JSON.parse(text).choices;
  expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'Let me see.' } });
  expect(choice.message.tool_calls).toMatchObject([{ id: 'c', function: { name: 'look', arguments: '{}' } }]);
  const [received] = server.requests;
  expect(received?.path).toBe('/v1/scratch');
  expect(received?.headers).toMatchObject({
    'x-scratch': '1',
    'x-scratch-key': SECRET,
    accept: 'application/x-ndjson',
  });
  expect(JSON.parse(received?.body ?? '')).toMatchObject({ model: 'real-model', turns: [{ user: 'Hello' }] });
  expect(await report()).toMatchObject({ clientWire: 'chat', serverWire: 'scratch', status: 200 });
});

test('a scratch client of a scratch server gets the bytes of the server', async () => {
  const bytes = [...LINES, { over: true }].map((line) => `${JSON.stringify(line)}\n`).join('');
  const server = await startServer((response) => sendLines(response));
  const { url } = await startTestGateway(server.url, { wire: 'scratch' });
  expect((await ask(`${url}/v1/scratch`, REQUEST)).text).toBe(bytes);
});

test('a server that breaks off is a failure in the form of the scratch wire', async () => {
  const server = await startServer((response) => sendLines(response, LINES));
  const { url } = await startTestGateway(server.url, { wire: 'scratch' });
  expect(linesIn((await ask(`${url}/v1/scratch`, REQUEST)).text).at(-1)).toMatchObject({
    error: { code: 'stream_closed' },
  });
  const { status, text } = await ask(`${url}/v1/scratch`, { ...REQUEST, model: 'unknown' });
  expect([status, Object.keys(JSON.parse(text).error)]).toEqual([404, ['code', 'message']]);
});

test('a server with an unknown wire is detected as scratch', async () => {
  const server = await startServer((response, _, { url = '' }) =>
    url.endsWith('/scratch') ? sendLines(response) : response.writeHead(404).end(),
  );
  const { url, report } = await startTestGateway(server.url, { wire: 'auto' });
  const messages = [{ role: 'user', content: 'Hello' }];
  expect((await ask(`${url}/v1/chat/completions`, { model: 'alias', messages })).status).toBe(200);
  expect(await report()).toMatchObject({ serverWire: 'scratch' });
});

test('the scratch wire answers its own paths', async () => {
  const { url } = await startTestGateway('http://127.0.0.1:9/v1', { wire: 'scratch' });
  expect(JSON.parse((await ask(`${url}/scratch/models`)).text)).toEqual({ names: ['real-model', 'alias'] });
  const counted = await ask(`${url}/v1/scratch/turns/count`, { turns: [1, 2, 3] });
  expect(JSON.parse(counted.text)).toEqual({ count: 3 });
  expect((await ask(`${url}/v1/scratch/turns/count`)).status).toBe(405);
});

test('an agent runs a turn over the scratch wire', async () => {
  const server = await startServer((response) => sendLines(response, [{ say: 'Done.' }, { over: true }]));
  const workspace = createWorkspace();
  onTestFinished(workspace.dispose);
  const provider = `[model_providers.s]\nbase_url = "${server.url}"\nwire_api = "scratch"\n`;
  workspace.configure(`model = "m"\nmodel_provider = "s"\n${provider}`);
  const env = { HOME: workspace.home, OXBOW_HOME: workspace.home, PATH: process.env.PATH };
  const agent = createAgent({ env, cwd: workspace.path });
  const thread = await agent.startThread();
  expect(await thread.run('Hello')).toMatchObject({ finalResponse: 'Done.' });
  await thread.close();
});
