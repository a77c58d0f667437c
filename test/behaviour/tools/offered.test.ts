import { expect, test } from 'vitest';
import { createAgent } from '../../../src/index.ts';
import { reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import type { ConfigTable } from '../../harness/scripted-config.ts';
import { offeredIn, over } from '../../harness/wires.ts';

async function offered(config: ConfigTable) {
  const s = await libraryScene([reply(say('done'))], config);
  const thread = await s.agent.startThread({ ephemeral: true });
  await thread.run('go');
  await thread.close();
  return { names: offeredIn(s.model), tools: s.model.requests[0]?.body.tools ?? [] };
}

const USUAL = ['exec_command', 'write_stdin', 'update_plan', 'apply_patch', 'view_image'];
const rest = USUAL.slice(2);
const FREEFORM = USUAL.with(3, 'apply_patch (custom)');
const COMMANDS_ONLY = USUAL.slice(0, 2);
const searchCommand = { tools: { web_search: { command: ['find-it', '{query}'] } } };

test.each<[string, ConfigTable, string[]]>([
  ['nothing is known of the model', {}, USUAL],
  ['nothing is known of the model, over chat', over('chat'), USUAL],
  ['the model was trained with patches', { model: 'gpt-5' }, FREEFORM],
  ['the same model, over chat', over('chat', { model: 'gpt-5' }), USUAL],
  ['the model takes no images', { model: 'gpt-oss-20b', tools: { view_image: true } }, USUAL.slice(0, -1)],
  ['the model has a command tool', { model: 'codex-mini-latest' }, ['local_shell', ...rest]],
  ['the same model, over chat', over('chat', { model: 'codex-mini-latest' }), ['shell', ...rest]],
  ['it is shell', { tools: { command: 'shell' } }, ['shell', ...rest]],
  ['it is shell_command', { tools: { command: 'shell_command' } }, ['shell_command', ...rest]],
  ['it is local_shell', { tools: { command: 'local_shell' } }, ['local_shell', ...rest]],
  ['it is unified_exec', { tools: { command: 'unified_exec' } }, ['unified_exec', ...rest]],
  ['patches are free text', { tools: { apply_patch: 'freeform' } }, FREEFORM],
  ['patches are a function', { model: 'gpt-5', tools: { apply_patch: 'function' } }, USUAL],
  ['patches are wanted', { model: 'gpt-5', tools: { apply_patch: true } }, FREEFORM],
  ['nothing more is wanted', { tools: { update_plan: false, apply_patch: false, view_image: false } }, COMMANDS_ONLY],
  [
    'nothing more is wanted, in older words',
    { include_plan_tool: false, include_apply_patch_tool: false, include_view_image_tool: false },
    COMMANDS_ONLY,
  ],
  ['the web is searched', { web_search: 'live' }, [...USUAL, 'web_search']],
  ['the web is searched, in older words', { tools_web_search_request: true }, [...USUAL, 'web_search']],
  ['the web is searched, over chat', over('chat', { web_search: 'live' }), USUAL],
  ['a command searches, over chat', over('chat', searchCommand), [...USUAL, 'web_search']],
  ['a command would search', { ...searchCommand, web_search: 'disabled' }, USUAL],
])('offered where %s', async (_, config, expected) => {
  expect((await offered(config)).names).toEqual(expected);
});

test('a server that searches gets the search settings', async () => {
  const { tools } = await offered({
    tools: { web_search: { mode: 'indexed', context_size: 'high', location: { country: 'DE' } } },
  });
  expect(tools.at(-1)).toEqual({
    type: 'web_search',
    external_web_access: true,
    indexed_web_access: true,
    user_location: { type: 'approximate', country: 'DE' },
    search_context_size: 'high',
  });
});

test('a model that supports the original size may ask for it', async () => {
  const properties = async (model: string) => {
    const { tools } = await offered({ model });
    const tool = tools.find((entry) => 'name' in entry && entry.name === 'view_image');
    return Object.keys((tool as { parameters: { properties: object } }).parameters.properties);
  };
  expect(await properties('gpt-5.5')).toEqual(['path', 'detail']);
  expect(await properties('gpt-5')).toEqual(['path']);
});

test.each([
  ['read-only', false],
  ['danger-full-access', true],
])(
  'OpenAI servers search unless the config says otherwise; with the sandbox %s the live web: %s',
  async (mode, live) => {
    const s = await libraryScene([reply(say('done')), reply(say('done'))]);
    s.workspace.configure(
      `model = "gpt-5.5"\nmodel_provider = "openai"\nopenai_base_url = "${s.model.url}"\nsandbox_mode = "${mode}"`,
    );
    const env = { ...s.agent.config.env, OPENAI_API_KEY: 'key' };
    for (const overrides of [[], ['web_search="disabled"']]) {
      const thread = await createAgent({ env, cwd: s.workspace.path, overrides }).startThread({ ephemeral: true });
      await thread.run('go');
      await thread.close();
    }
    const [first, second] = s.model.requests.map(({ body }) => body.tools ?? []);
    expect(first?.at(-1)).toEqual({ type: 'web_search', external_web_access: live });
    expect(second?.map(({ type }) => type)).not.toContain('web_search');
  },
);
