import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LanguageModel, modelFromLanguageModel } from '../../../src/adapters/index.ts';
import { scriptedLanguageModel } from '../../../src/adapters/language-model/fixtures/scripted-language-model.ts';
import type { TurnResult } from '../../../src/index.ts';
import { call, customCall, fault, reply, type ScriptedAnswer, say, think } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+two\n*** End Patch';

/** Runs a turn of an agent on a language model. */
async function turnOn(
  model: LanguageModel,
  config = {},
): Promise<{ s: Awaited<ReturnType<typeof libraryScene>>; result: TurnResult }> {
  const s = await libraryScene(
    [],
    { model: 'm', sandbox_mode: 'danger-full-access', ...config },
    { model: modelFromLanguageModel(model) },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  const result = await thread.run('go');
  await thread.close();
  return { s, result };
}

test('an agent on a language model runs commands and applies patches', async () => {
  const model = scriptedLanguageModel('v3', [
    reply(think('I look.'), call('exec_command', { cmd: 'echo one' })),
    reply(customCall('apply_patch', PATCH)),
    reply(say('done')),
  ]);
  const { s, result } = await turnOn(model);
  expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(result.usage.totalTokens).toBe(360);
  expect(s.workspace.read('a.txt')).toBe('two\n');
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('one\\n');
  expect(s.events.filter(({ type }) => type === 'reasoning.delta').length).toBeGreaterThan(0);
});

test('a failure is retried after the time that the server names', async () => {
  const busy = fault.status(429, { error: { message: 'Slow down.' } }, { 'retry-after': '3' });
  const { s, result } = await turnOn(scriptedLanguageModel('v3', [busy, reply(say('done'))]));
  expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(s.waits).toEqual([3000]);
});

test('a history that is too long is compacted', async () => {
  const tooLong = fault.status(400, { error: { message: 'prompt is too long' } });
  const first = reply(call('exec_command', { cmd: 'echo one' }));
  const model = scriptedLanguageModel('v3', [first, tooLong, reply(say('A summary.')), reply(say('done'))]);
  const { s, result } = await turnOn(model);
  expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
  expect(s.events.some(({ type }) => type === 'compacted')).toBe(true);
});

test('a setting that a model does not get is a warning of the thread, once', async () => {
  const answers = [reply(call('exec_command', { cmd: 'true' })), reply(say('done'))];
  const { s } = await turnOn(scriptedLanguageModel('v3', answers), { model_reasoning_effort: 'high' });
  const warnings = s.events.filter((event) => event.type === 'warning');
  expect(warnings).toMatchObject([{ code: 'model', message: expect.stringContaining('effort of the reasoning') }]);
});

const place = join(process.env.OXBOW_CLIENTS ?? '/nonexistent', 'node_modules/@ai-sdk/openai/package.json');
if (existsSync(place)) testProvider(createRequire(place));

/** Tests the provider of the AI SDK for OpenAI, with both of its APIs, against the scripted server. */
function testProvider(installed: NodeJS.Require): void {
  const { createOpenAI } = installed('@ai-sdk/openai');

  describe.each(['responses', 'chat'] as const)('the provider for OpenAI, with the API %s', (api) => {
    async function run(...answers: ScriptedAnswer[]) {
      let url = '';
      const model = (): LanguageModel => createOpenAI({ apiKey: 'key', baseURL: url })[api]('scripted');
      const s = await libraryScene(
        answers,
        { model: 'scripted', sandbox_mode: 'danger-full-access' },
        { model: () => modelFromLanguageModel(model(), { providerOptions: { openai: { store: false } } }) },
      );
      url = s.model.url;
      const thread = await s.agent.startThread(s.threadOptions());
      const result = await thread.run('go');
      await thread.close();
      return { s, result };
    }

    test('runs calls and remembers them', async () => {
      const { s, result } = await run(
        reply(say('I look.'), call('exec_command', { cmd: 'echo one' }), call('exec_command', { cmd: 'echo two' })),
        reply(call('apply_patch', { input: PATCH })),
        reply(say('done')),
      );
      expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
      expect(s.workspace.read('a.txt')).toBe('two\n');
      const last = JSON.stringify(s.model.requests.at(-1)?.body);
      expect(last).toMatch(/one\\\\n|one\\n/);
      expect(last).toContain('Begin Patch');
      expect(result.usage.totalTokens).toBe(360);
    });

    test('reports failures of the server', async () => {
      const { s, result } = await run(fault.status(500, 'x'), fault.status(401, { error: { message: 'No key.' } }));
      expect(result).toMatchObject({ status: 'failed', error: { code: 'auth' } });
      expect(s.waits).toHaveLength(1);
    });

    test('requests a broken response again', async () => {
      const long = reply(say('many words '.repeat(200)));
      const { result } = await run(fault.cut(long, 2000), reply(say('done')));
      expect(result).toMatchObject({ status: 'completed', finalResponse: 'done' });
    });
  });
}
