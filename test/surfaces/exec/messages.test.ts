import { expect, test } from 'vitest';
import { fault, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { over } from '../../harness/wires.ts';

const tables = (provider: object, more: object = {}) => ({
  model_providers: { scripted: { wire_api: 'messages', ...provider } },
  ...more,
});

test('a request has the key in the header of its wire, and names the version', async () => {
  const s = await scene([reply(say('done'))]);
  expect((await runOxbow(['exec', 'hi'], { ...s, config: over('messages') })).stdout).toBe('done\n');
  const [request] = s.model.requests;
  expect(request?.path).toBe('/v1/messages');
  expect(request?.headers).toMatchObject({ 'x-api-key': 'scripted-key', 'anthropic-version': '2023-06-01' });
  expect(request?.headers).not.toHaveProperty('authorization');
});

test('a bearer token goes out as such', async () => {
  const s = await scene([reply(say('done'))]);
  const config = tables({ env_key: 'NOT_SET', experimental_bearer_token: 'token-1' });
  expect((await runOxbow(['exec', 'hi'], { ...s, config })).stdout).toBe('done\n');
  expect(s.model.requests[0]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
  expect(s.model.requests[0]?.headers).not.toHaveProperty('x-api-key');
});

test.each([
  ['scripted', { context_window: 272_000 }, 32_000],
  ['scripted', { context_window: 20_000 }, 5000],
  ['scripted', { context_window: 272_000, max_output_tokens: 99_000 }, 99_000],
  ['claude-opus-5-5', {}, 64_000],
  ['claude-haiku-4-5-20251001', {}, 50_000],
])('the answer of %s with the facts %j is limited to %i tokens', async (model, facts, limit) => {
  const s = await scene([reply(say('done'))]);
  const config = tables({}, { model, models: { [model]: facts } });
  const run = await runOxbow(['exec', 'hi'], { ...s, config });
  expect(run.code, run.stderr).toBe(0);
  expect(s.model.requests[0]?.body.max_tokens).toBe(limit);
});

test('marks of the cache stand behind the instructions and beside the messages', async () => {
  const s = await scene([reply(say('done'))]);
  await runOxbow(['exec', 'hi'], { ...s, config: over('messages') });
  const { system, messages, cache_control } = s.model.requests[0]?.body ?? {};
  const mark = { type: 'ephemeral' };
  expect(cache_control).toEqual(mark);
  expect(system).toMatchObject([{ type: 'text', cache_control: mark }]);
  expect(JSON.stringify(messages)).not.toContain('cache_control');
});

test('a server that has only this wire is found, and the wire is remembered', async () => {
  const s = await scene(({ path }) => (path.endsWith('/messages') ? reply(say('done')) : fault.status(404, 'no')));
  for (const _ of [1, 2]) {
    const run = await runOxbow(['exec', 'hi'], { ...s, config: tables({ wire_api: 'auto' }) });
    expect(run.stdout).toBe('done\n');
  }
  expect(s.model.requests.map(({ path }) => path)).toEqual([
    ...['/v1/responses', '/v1/chat/completions', '/v1/messages', '/v1/messages'],
  ]);
});

test('an answer that the limit cuts off is not taken for a whole one', async () => {
  const s = await scene([reply(say('half a sen'), { incomplete: 'max_output_tokens' })]);
  const run = await runOxbow(['exec', '--json', 'hi'], { ...s, config: over('messages') });
  expect(run.code).toBe(1);
  expect(run.events.at(-1)).toMatchObject({ type: 'turn.failed' });
});

test('a wire that does not exist is refused with the names of all', async () => {
  const s = await scene([]);
  const run = await runOxbow(['exec', 'hi'], { ...s, config: tables({ wire_api: 'soap' }) });
  expect(run.stderr).toContain('Set its wire to one of: auto, responses, chat, messages, ollama.');
});
