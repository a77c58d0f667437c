import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fault, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

const CONFIG = 'model = "gpt-5.5"\nsandbox_mode = "danger-full-access"\n';
/** Returns a token that does not say when it expires. */
const token = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

const ACCESS = token({ sub: 'access' });
const REFRESHED = token({ sub: 'refreshed' });

/** Writes a sign-in with ChatGPT as Codex does. */
function signIn({ workspace }: Scene, claims: object = {}): void {
  const id_token = token({ 'https://api.openai.com/auth': { chatgpt_plan_type: 'plus', ...claims } });
  const tokens = { id_token, access_token: ACCESS, refresh_token: 'the-refresh-token', account_id: 'acc-12345678' };
  const auth = { auth_mode: 'chatgpt', OPENAI_API_KEY: null, tokens, last_refresh: new Date().toISOString() };
  writeFileSync(join(workspace.home, 'auth.json'), JSON.stringify(auth), { mode: 0o600 });
}

const KEY = { OPENAI_API_KEY: 'key-of-openai' };
const NO_PATH = fault.status(404, 'no such path');

interface Asked {
  readonly wire: string;
  readonly settings?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function exec({ workspace, model }: Scene, { wire, settings = '', env = {} }: Asked) {
  const chatgpt = model.url.replace(/v1$/, 'backend-api');
  workspace.configure(
    `openai_base_url = "${model.url}"\nchatgpt_base_url = "${chatgpt}/"\n${settings}${CONFIG}[model_providers.openai]\nwire_api = "${wire}"\n`,
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
const WITH_CHATGPT = {
  ...IDENTITY,
  authorization: `Bearer ${ACCESS}`,
  account: 'acc-12345678',
  fedramp: undefined,
};
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

test.each(['responses', 'auto'])('ChatGPT and the wire %s: another address, and nothing is stored', async (wire) => {
  const s = await scene([reply(say('hi'))]);
  signIn(s);
  const { code, stdout, stderr } = await exec(s, { wire, env: KEY, settings: 'response_storage = true\n' });
  expect(code).toBe(0);
  expect(sent(s)).toEqual([{ ...WITH_CHATGPT, ...responses('/backend-api/codex', false) }]);
  const files = readdirSync(s.workspace.home, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== 'auth.json' && statSync(join(s.workspace.home, name)).isFile())
    .map((name) => readFileSync(join(s.workspace.home, name), 'utf8'));
  expect([stdout, stderr, ...files].filter((text) => text.includes(ACCESS) || text.includes('the-refresh'))).toEqual(
    [],
  );
});

test('ChatGPT and the wire auto never fall back to chat', async () => {
  const s = await scene([NO_PATH]);
  signIn(s);
  expect((await exec(s, { wire: 'auto' })).code).toBe(1);
  expect(s.model.requests.map(({ path }) => path)).toEqual(['/backend-api/codex/responses']);
});

test('ChatGPT and the wire chat are a mistake in the configuration', async () => {
  const s = await scene([]);
  signIn(s);
  const { code, stderr } = await exec(s, { wire: 'chat' });
  expect(code).toBe(1);
  expect(stderr).toBe(
    'oxbow: The sign-in with ChatGPT works with the wire responses only: set wire_api = "auto" for the provider "openai", or use an API key.\n',
  );
  expect(s.model.requests).toEqual([]);
});

test('CODEX_API_KEY wins over a sign-in with ChatGPT', async () => {
  const s = await scene([reply(say('hi'))]);
  signIn(s);
  expect((await exec(s, { wire: 'auto', env: { CODEX_API_KEY: 'key-of-openai' } })).code).toBe(0);
  expect(sent(s)).toEqual([{ ...WITH_KEY, ...responses('/v1', true) }]);
});

test('a FedRAMP account is marked', async () => {
  const s = await scene([reply(say('hi'))]);
  signIn(s, { chatgpt_account_is_fedramp: true });
  expect((await exec(s, { wire: 'auto' })).code).toBe(0);
  expect(sent(s)).toMatchObject([{ fedramp: 'true' }]);
});

test('a token that ChatGPT refuses is refreshed once, and the request is repeated', async () => {
  const refused = fault.status(401, { error: { message: 'expired' } });
  const s = await scene([refused, reply(say('hi')), refused, refused]);
  signIn(s);
  const issuer = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ access_token: REFRESHED, refresh_token: 'a-new-refresh-token' }));
    });
  });
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void issuer.close());
  const { port } = issuer.address() as AddressInfo;
  const settings = `auth.issuer = "http://127.0.0.1:${port}"\n`;
  expect((await exec(s, { wire: 'auto', settings })).code).toBe(0);
  expect(sent(s).map(({ authorization }) => authorization)).toEqual([`Bearer ${ACCESS}`, `Bearer ${REFRESHED}`]);
  const { code, stderr } = await exec(s, { wire: 'auto', settings });
  expect(code).toBe(1);
  expect(stderr).toContain(`The key came from ${join(s.workspace.home, 'auth.json')} (sign-in with ChatGPT): check it`);
  expect(stderr).not.toContain(REFRESHED);
});

test('a thread says where the key of each turn came from, without the key', async () => {
  const s = await scene([reply(say('hi')), reply(say('hi'))]);
  signIn(s);
  expect((await exec(s, { wire: 'auto' })).code).toBe(0);
  const resume = ['exec', 'resume', '--last', '--skip-git-repo-check', 'go on'];
  const { code } = await runOxbow(resume, { workspace: s.workspace, env: { CODEX_API_KEY: 'key-of-openai' } });
  expect(code).toBe(0);
  const places = s.rollout().flatMap((line) => (line.type === 'turn_context' ? [line.payload.oxbow_key_from] : []));
  expect(places).toEqual([`${join(s.workspace.home, 'auth.json')} (sign-in with ChatGPT)`, 'CODEX_API_KEY']);
  expect(JSON.stringify(s.rollout())).not.toContain('key-of-openai');
});
