import { expect, test } from 'vitest';
import { fault, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

/** Returns the address of a scripted model as that of Ollama. */
const apiOf = (url: string) => url.replace(/\/v1$/, '/api');

test('the built-in provider speaks the native protocol, without a key', async () => {
  const s = await scene([reply(say('done'))]);
  const config = {
    model: 'qwen3:8b',
    model_provider: 'ollama',
    model_providers: { ollama: { base_url: apiOf(s.model.url) } },
  };
  const run = await runOxbow(['exec', 'hi'], { ...s, config });
  expect(run.stdout, run.stderr).toBe('done\n');
  const [request] = s.model.requests;
  expect(request?.path).toBe('/api/chat');
  expect(request?.headers).not.toHaveProperty('authorization');
  expect(request?.body).toMatchObject({ model: 'qwen3:8b', stream: true, truncate: false });
});

test('an address for clients of OpenAI keeps its meaning', async () => {
  const s = await scene([reply(say('done'))]);
  const config = {
    model: 'qwen3:8b',
    model_provider: 'ollama',
    model_providers: { ollama: { base_url: s.model.url } },
  };
  expect((await runOxbow(['exec', 'hi'], { ...s, config })).stdout).toBe('done\n');
  expect(s.model.requests.map(({ path }) => path)).toEqual(['/v1/responses']);
});

test.each([
  ['qwen3:8b', {}, 40_960],
  ['qwen3-coder:30b', {}, 64_000],
  ['mine', {}, 64_000],
  ['mine', { models: { mine: { context_window: 16_384 } } }, 16_384],
  ['mine', { model_context_window: 100_000 }, 100_000],
])('%s with the settings %j is loaded for %i tokens', async (model, settings, window) => {
  const s = await scene([reply(say('done'))]);
  const place = { name: 'There', base_url: apiOf(s.model.url), wire_api: 'auto' };
  const config = { model, model_provider: 'there', model_providers: { there: place }, ...settings };
  const run = await runOxbow(['exec', 'hi'], { ...s, config });
  expect(run.stdout, run.stderr).toBe('done\n');
  expect(s.model.requests[0]?.body.options).toEqual({ num_ctx: window });
  // The notice about an unknown model names the same window.
  if (model === 'mine' && Object.keys(settings).length === 0) expect(run.stderr).toContain('64000 tokens');
});

test('a prompt that does not fit is compacted', async () => {
  const refusal = fault.status(400, { error: 'the input length exceeds the context length' });
  const s = await scene((_, n) => (n === 2 ? refusal : n === 3 ? reply(say('a summary')) : reply(say(`answer ${n}`))));
  const place = { name: 'There', base_url: apiOf(s.model.url) };
  const config = { model: 'qwen3:8b', model_provider: 'there', model_providers: { there: place } };
  const first = await runOxbow(['exec', '--json', 'one'], { ...s, config });
  const second = await runOxbow(['exec', 'resume', String(first.events[0]?.thread_id), 'two'], { ...s, config });
  expect(second.stdout, second.stderr).toBe('answer 4\n');
});
