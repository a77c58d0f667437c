import { expect, test } from 'vitest';
import { fault, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

const CONFIG = 'model = "gpt-5.5"\nsandbox_mode = "danger-full-access"\n';
const KEY = { OPENAI_API_KEY: 'key-of-openai' };
const NO_PATH = fault.status(404, 'no such path');

interface Asked {
  readonly wire: string;
  readonly settings?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function exec({ workspace, model }: Scene, { wire, settings = '', env = {} }: Asked) {
  workspace.configure(
    `openai_base_url = "${model.url}"\n${settings}${CONFIG}[model_providers.openai]\nwire_api = "${wire}"\n`,
  );
  return runOxbow(['exec', '--skip-git-repo-check', 'hello'], { workspace, env });
}

/** Returns the parts of the requests that depend on the sign-in and the wire. */
function sent({ model }: Scene) {
  return model.requests.map(({ method, path, headers, body }) => ({
    url: `${method} ${path}`,
    authorization: headers.authorization,
    account: headers['chatgpt-account-id'],
    fedramp: headers['x-openai-fedramp'],
    originator: headers.originator,
    agent: headers['user-agent'],
    store: body.store,
    include: body.include,
    tools: body.tools?.map((tool) =>
      tool.type === 'function' ? toolName(tool) : `${tool.type} ${toolName(tool) ?? ''}`.trim(),
    ),
  }));
}

const toolName = (tool: object) => {
  const { name, function: own } = tool as { name?: string; function?: { name: string } };
  return name ?? own?.name;
};

const IDENTITY = {
  originator: 'oxbow_exec',
  agent: expect.stringMatching(/^oxbow_exec\/\d+\.\d+\.\d+\S* \(\S+ \S+; \S+\)$/),
};

const WITH_KEY = { ...IDENTITY, authorization: 'Bearer key-of-openai', account: undefined, fedramp: undefined };
const TOOLS = ['exec_command', 'write_stdin', 'update_plan'];

const responses = (base: string, store: boolean) => ({
  url: `POST ${base}/responses`,
  store,
  include: ['reasoning.encrypted_content'],
  tools: [...TOOLS, 'custom apply_patch', 'view_image', 'web_search'],
});

const CHAT = {
  url: 'POST /v1/chat/completions',
  store: undefined,
  include: undefined,
  tools: [...TOOLS, 'apply_patch', 'view_image'],
};

test.each(['responses', 'auto'])('a key and the wire %s: OpenAI is asked to store', async (wire) => {
  const s = await scene([reply(say('hi'))]);
  expect((await exec(s, { wire, env: KEY })).code).toBe(0);
  expect(sent(s)).toEqual([{ ...WITH_KEY, ...responses('/v1', true) }]);
});

test('a key and the wire chat', async () => {
  const s = await scene([reply(say('hi'))]);
  expect((await exec(s, { wire: 'chat', env: KEY })).code).toBe(0);
  expect(sent(s)).toEqual([{ ...WITH_KEY, ...CHAT }]);
});

test('a key and the wire auto fall back to chat', async () => {
  const s = await scene([NO_PATH, reply(say('hi'))]);
  expect((await exec(s, { wire: 'auto', env: KEY })).code).toBe(0);
  expect(sent(s)).toEqual([
    { ...WITH_KEY, ...responses('/v1', true) },
    { ...WITH_KEY, ...CHAT, tools: expect.arrayContaining(['apply_patch']) },
  ]);
});

test.each(['response_storage = false\n', 'disable_response_storage = true\n'])(
  '%s stores nothing',
  async (settings) => {
    const s = await scene([reply(say('hi'))]);
    expect((await exec(s, { wire: 'responses', env: KEY, settings })).code).toBe(0);
    expect(sent(s)).toEqual([{ ...WITH_KEY, ...responses('/v1', false) }]);
  },
);

test('another provider is asked to store only with response_storage = true', async () => {
  const { workspace, model } = await scene([reply(say('hi')), reply(say('hi'))]);
  for (const response_storage of ['auto', true]) {
    const { code } = await runOxbow(['exec', 'hello'], { workspace, model, config: { response_storage } });
    expect(code).toBe(0);
  }
  expect(model.requests.map(({ body }) => body.store)).toEqual([false, true]);
});

test('originator and user_agent are settings', async () => {
  const s = await scene([reply(say('hi'))]);
  const settings = 'originator = "my_tool"\nuser_agent = "my tool/2"\n';
  expect((await exec(s, { wire: 'responses', env: KEY, settings })).code).toBe(0);
  expect(sent(s)).toMatchObject([{ originator: 'my_tool', agent: 'my tool/2' }]);
});
