import { expect, onTestFinished, test } from 'vitest';
import { reply, say, startScriptedModel } from '../testing/index.ts';
import { ask, startTestGateway } from './test-gateway.ts';

/** Sends a request of a client of Ollama to a gateway, and returns the answer and how many requests the server got. */
async function asked(wire: string, path: string, body: object) {
  const model = await startScriptedModel(() => reply(say('Hello.')));
  onTestFinished(() => model.close());
  const base = wire === 'ollama' ? model.url.replace(/\/v1$/, '/api') : model.url;
  const gateway = await startTestGateway(base, { wire });
  const { status, headers, text } = await ask(`${gateway.url}${path}`, { model: 'alias', ...body });
  const answer = JSON.parse(text.trim());
  const report = await gateway.report();
  return { status, type: headers['content-type'], answer, report, requests: model.requests.length };
}

const LOADS = [
  ['/api/generate', {}, { response: '', done_reason: 'load' }],
  ['/api/generate', { prompt: '', stream: false }, { response: '', done_reason: 'load' }],
  ['/api/generate', { keep_alive: 0 }, { response: '', done_reason: 'unload' }],
  ['/api/generate', { keep_alive: '0s' }, { response: '', done_reason: 'unload' }],
  ['/api/chat', { messages: [] }, { message: { role: 'assistant', content: '' }, done_reason: 'load' }],
  ['/api/chat', { keep_alive: 0 }, { message: { role: 'assistant', content: '' }, done_reason: 'unload' }],
] as const;

test.each(LOADS)('%s with %j, which asks nothing, is answered without a server of another wire', async (...load) => {
  const [path, body, said] = load;
  const { status, answer, report, requests } = await asked('chat', path, body);
  expect({ status, requests, error: report.error }).toEqual({ status: 200, requests: 0, error: null });
  expect(answer).toEqual({ model: 'alias', created_at: expect.stringMatching(/^\d{4}-.*Z$/), done: true, ...said });
});

test('a server of the same wire loads its model itself', async () => {
  const { requests } = await asked('ollama', '/api/chat', { messages: [], stream: false });
  expect(requests).toBe(1);
});

test('a picture is something that is asked', async () => {
  const { requests } = await asked('chat', '/api/generate', { images: ['iVBORw0KGgo='], stream: false });
  expect(requests).toBe(1);
});

test('a client that expects a stream gets one', async () => {
  const [stream, whole] = [
    await asked('chat', '/api/generate', {}),
    await asked('chat', '/api/generate', { stream: false }),
  ];
  expect([stream.type, whole.type]).toEqual(['application/x-ndjson', 'application/json']);
});
