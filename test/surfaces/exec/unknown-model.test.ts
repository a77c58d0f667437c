import { expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const NOTICE =
  'Nothing is known about the model mine. It is assumed to accept 272000 tokens at once and to accept images. If that is wrong, set context_window and input in [models."mine"] of config.toml.';

test('an unknown model works, with one notice, which is not on standard output', async () => {
  const { model, workspace } = await scene([reply(say('one')), reply(say('two'))]);
  const lines = '{"type":"input","text":"first"}\n{"type":"input","text":"second"}\n';
  const { code, stdout, stderr } = await runOxbow(['exec', '-m', 'mine', '--input-format', 'jsonl'], {
    model,
    workspace,
    stdin: lines,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'two\n' });
  expect(stderr.split(`warning: ${NOTICE}\n`)).toHaveLength(2);
  expect(model.requests.map(({ body }) => body.model)).toEqual(['mine', 'mine']);
});

test('with --json the notice is an item', async () => {
  const { model, workspace } = await scene([reply(say('one'))]);
  const { events } = await runOxbow(['exec', '--json', '-m', 'mine', 'hello'], { model, workspace });
  expect(events.filter(({ item }) => (item as { type?: string } | undefined)?.type === 'error')).toMatchObject([
    { type: 'item.completed', item: { message: NOTICE } },
  ]);
});

test.each([
  ['a model of the table', ['-m', 'anthropic/claude-opus-5.5'], {}],
  ['a model that was trained with Codex', ['-m', 'gpt-5.5'], {}],
  ['a window in the configuration', ['-m', 'mine'], { model_context_window: 5000 }],
  ['facts about the model', ['-m', 'mine'], { models: { mine: { context_window: 5000 } } }],
  ['facts about the model of this provider', ['-m', 'mine'], { models: { 'scripted/mine': { context_window: 5000 } } }],
])('no notice with %s', async (_what, args, config) => {
  const { model, workspace } = await scene([reply(say('one'))]);
  const { stderr } = await runOxbow(['exec', ...args, 'hello'], { model, workspace, config });
  expect(stderr).not.toContain('warning');
});

test('a model without images in its facts gets none', async () => {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const { model, workspace } = await scene([reply(say('one')), reply(say('two'))]);
  workspace.write('dot.png', pixel);
  for (const input of [['text'], ['text', 'image']])
    await runOxbow(['exec', '-m', 'mine', '-i', 'dot.png', 'look'], {
      model,
      workspace,
      config: { models: { mine: { context_window: 5000, input } } },
    });
  const withImage = model.requests.map(({ body }) => JSON.stringify(body).includes('input_image'));
  expect(withImage).toEqual([false, true]);
});
