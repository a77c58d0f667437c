import { expect, onTestFinished, test } from 'vitest';
import { reply, say, startScriptedModel } from '../testing/index.ts';
import { PATHS, requestFor, type TestedWire } from './test-answer.ts';
import { ask, startTestGateway } from './test-gateway.ts';

/** Sends a request of a client to a server, and returns the answer and the number of requests that the server got. */
async function send(client: TestedWire, server: TestedWire, fields: object) {
  const model = await startScriptedModel(() => reply(say('Hello.')));
  onTestFinished(() => model.close());
  const base = server === 'ollama' ? model.url.replace('/v1', '/api') : model.url;
  const { url } = await startTestGateway(base, { wire: server });
  const { status, text } = await ask(`${url}${PATHS[client]}`, requestFor(client, fields));
  return { status, answer: JSON.parse(text), requests: model.requests.length };
}

const UNPORTABLE = [
  ['chat', 'messages', { n: 2 }, 'n'],
  ['chat', 'ollama', { n: 3 }, 'n'],
  ['responses', 'chat', { conversation: 'conv_1' }, 'conversation'],
  ['responses', 'messages', { prompt: { id: 'pmpt_1' } }, 'prompt'],
] as const;

test.each(UNPORTABLE)('a %s client of a %s server is told that it cannot have %j', async (...unportable) => {
  const [client, server, fields, param] = unportable;
  const { status, answer, requests } = await send(client, server, fields);
  expect({ status, requests }).toEqual({ status: 400, requests: 0 });
  expect(answer.error).toMatchObject({ type: 'invalid_request_error', param });
});

test.each([
  ['chat', 'chat', { n: 2 }],
  ['chat', 'messages', { n: 1 }],
  ['responses', 'responses', { conversation: 'conv_1' }],
  ['responses', 'chat', { conversation: null, prompt: null }],
] as const)('a %s client of a %s server may send %j', async (client, server, fields) => {
  const { status, requests } = await send(client, server, fields);
  expect({ status, requests }).toEqual({ status: 200, requests: 1 });
});
