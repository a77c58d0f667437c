import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findUsualServers } from '../../../src/app/commands/find-local-servers.ts';
import { reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startListingServer } from './listing-server.ts';
import { ask, gatewayStarter } from './start-gateway.ts';

const start = gatewayStarter();

const CHAT = '/v1/chat/completions';

describe('a gateway that nothing was said to', () => {
  test('finds a server on this machine, whose only model answers for names of clients', async () => {
    const s = await scene(() => reply(say('yes')));
    const server = await startListingServer(s.model, ['qwen3', 'nomic-embed-text']);
    const { program, url } = await start([], {
      workspace: s.workspace,
      env: { OLLAMA_HOST: server.host, OPENAI_API_KEY: 'sk-not-asked-for' },
    });
    for (const model of ['gpt-5.5', 'claude-sonnet-4-5-20250929', 'sonnet[1m]', 'other']) {
      expect((await ask(url, { path: CHAT, model })).status).toBe(200);
    }
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['qwen3', 'qwen3', 'qwen3', 'other']);
    expect(JSON.stringify(s.model.requests.map(({ headers }) => headers))).not.toContain('sk-not-asked-for');
    await program.waitForError(/Found Ollama at http:\S+ on this machine, with qwen3, nomic-embed-text\.\n/);
  });

  test('takes the first server by a fixed order, and names the others', async () => {
    const s = await scene(() => reply(say('yes')));
    const [mine, ollama] = [await startListingServer(s.model, ['a', 'b']), await startListingServer(s.model, ['c'])];
    s.workspace.configure(`[model_providers.mine]\nname = "Mine"\nbase_url = "${mine.url}"\nwire_api = "chat"\n`);
    const env = { OLLAMA_HOST: ollama.host };
    const { program, url } = await start([], { workspace: s.workspace, env });
    await program.waitForError(/Found Mine at /);
    await program.waitForError(new RegExp(`Found Ollama too\\. To use it: --upstream http://${ollama.host}/api\n`));
    const refused = await ask(url, { path: CHAT, model: 'gpt-5.5' });
    expect(refused.status).toBe(404);
    const { error } = (await refused.json()) as { error: { message: string } };
    expect(error.message).toContain('The server has no model "gpt-5.5". It has: a, b.');
    expect(error.message).toContain('On the command line of the gateway: -m NAME.');
    const models = await runOxbow(['gateway', 'models', '--json'], { workspace: s.workspace, env });
    expect(JSON.parse(models.stdout)).toEqual([
      { id: 'a', provider: 'mine' },
      { id: 'b', provider: 'mine' },
    ]);
  });

  test('says where it looked, and which keys it did not use', async ({ skip }) => {
    const found = await findUsualServers({ modelProviders: {}, env: { OLLAMA_HOST: '127.0.0.1:1' } });
    if (found.some(({ models }) => models !== undefined)) skip('a model server runs on this machine');
    const { workspace } = await scene([]);
    const env = { OLLAMA_HOST: '127.0.0.1:1', GROQ_API_KEY: 'gsk-very-secret' };
    const { code, stderr } = await runOxbow(['gateway'], { workspace, env });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'The gateway has nowhere to send requests. No model server answers on this machine; tried',
    );
    expect(stderr).toContain('Ollama (127.0.0.1:1), LM Studio (localhost:1234)');
    expect(stderr).toContain('There is a key in GROQ_API_KEY; to use it: --provider groq.');
    expect(stderr).not.toContain('very-secret');
  });
});

describe('--provider', () => {
  const table = (url: string) => `[model_providers.mine]\nbase_url = "${url}"\nwire_api = "chat"\n`;

  test('sends everything to a provider, with its settings', async () => {
    const s = await scene(() => reply(say('yes')));
    s.workspace.configure(`${table(s.model.url)}[gateway.models]\nfast = "groq/x"\n`);
    const { url } = await start(['--provider', 'mine/big/one'], { workspace: s.workspace });
    for (const model of ['fast', 'gpt-5.5']) await (await ask(url, { model })).text();
    expect(s.model.requests.map(({ path, body }) => `${path} ${body.model}`)).toEqual([
      `${CHAT} fast`,
      `${CHAT} big/one`,
    ]);
  });

  test('takes the model of -m, or else that of the configuration for this provider', async () => {
    const s = await scene(() => reply(say('yes')));
    s.workspace.configure(`model_provider = "mine"\nmodel = "usual"\n${table(s.model.url)}`);
    const first = await start(['--provider', 'mine'], { workspace: s.workspace });
    await (await ask(first.url, { model: 'haiku' })).text();
    const second = await start(['--provider', 'mine', '-m', 'other'], { workspace: s.workspace });
    await (await ask(second.url, { model: 'haiku' })).text();
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['usual', 'other']);
  });
});

describe('gateways that run', () => {
  const table = (name: string, url: string) => `[model_providers.${name}]\nbase_url = "${url}"\nwire_api = "chat"\n`;

  /** Starts a gateway at a provider called one. There is another one called two. */
  async function twoProviders(args: readonly string[] = []) {
    const [a, b] = [await scene(() => reply(say('from a'))), await scene(() => reply(say('from b')))];
    const { workspace } = a;
    const toml = `# mine\n[gateway]\nprovider = "one" # for now\nmodel = "m1"\n\n${table('one', a.model.url)}${table('two', b.model.url)}`;
    workspace.configure(toml);
    const gateway = await start(args, { workspace });
    const verb = (...words: readonly string[]) => runOxbow(['gateway', ...words], { workspace });
    return { ...gateway, workspace, a: a.model, b: b.model, toml, verb };
  }

  test('are listed by status until they end', async () => {
    const { program, url, verb, workspace } = await twoProviders();
    const listed = JSON.parse((await verb('status', '--json')).stdout);
    expect(listed).toEqual([
      {
        url,
        base_url: `${url}/v1`,
        pid: program.pid,
        provider: 'one',
        model: 'm1',
        source: 'config',
        since: expect.stringMatching(/^20\d\d-/),
        problem: null,
      },
    ]);
    expect((await verb('status')).stdout).toMatch(
      new RegExp(`^address .*\n${url}/v1 +${program.pid} +one/m1 +config\\.toml +just now\n$`),
    );
    program.kill('SIGTERM');
    await program.wait();
    const empty = await verb('status');
    expect(empty).toMatchObject({ code: 0, stdout: '', stderr: 'No gateway runs. To start one: oxbow gateway\n' });
    expect(JSON.parse((await verb('status', '--json')).stdout)).toEqual([]);
    expect(existsSync(join(workspace.home, 'gateways', `${program.pid}.json`))).toBe(false);
  });

  test('a gateway that was killed is not listed', async () => {
    const { program, verb, workspace } = await twoProviders();
    program.kill('SIGKILL');
    await program.wait();
    expect(existsSync(join(workspace.home, 'gateways', `${program.pid}.json`))).toBe(true);
    expect(JSON.parse((await verb('status', '--json')).stdout)).toEqual([]);
    expect(existsSync(join(workspace.home, 'gateways', `${program.pid}.json`))).toBe(false);
  });

  test('use switches them, and changes nothing else in config.toml', async () => {
    const { url, workspace, a, b, toml, verb } = await twoProviders();
    await (await ask(url, { model: 'x' })).text();
    const used = await verb('use', 'two/m2');
    expect(used).toMatchObject({ code: 0, stdout: '' });
    expect(used.stderr).toContain(`The gateway at ${url} now sends to two/m2.\n`);
    await (await ask(url, { model: 'gpt-5.5' })).text();
    expect([a, b].map(({ requests }) => requests.map(({ body }) => body.model))).toEqual([['x'], ['m2']]);
    const file = join(workspace.home, 'config.toml');
    expect(readFileSync(file, 'utf8')).toBe(toml.replace('"one" #', '"two" #').replace('"m1"', '"m2"'));
    expect((await verb('use', 'one')).stderr).toContain(`The gateway at ${url} now sends to one.\n`);
    expect(readFileSync(file, 'utf8')).not.toContain('model =');
    expect(JSON.parse((await verb('status', '--json')).stdout)).toMatchObject([{ provider: 'one', model: null }]);
  });

  test('use cannot switch a gateway whose command line names the server', async () => {
    const { url, a, b, verb } = await twoProviders(['--provider', 'one']);
    const used = await verb('use', 'two');
    expect(used.code).toBe(1);
    expect(used.stderr).toContain(
      `The gateway at ${url} keeps its server: it was started with --upstream or --provider`,
    );
    await (await ask(url, { model: 'x' })).text();
    expect([a, b].map(({ requests }) => requests.length)).toEqual([1, 0]);
  });

  test('use switches a gateway that had found its server', async () => {
    const s = await scene(() => reply(say('yes')));
    const found = await startListingServer(s.model, ['a']);
    const { url } = await start([], { workspace: s.workspace, env: { OLLAMA_HOST: found.host } });
    s.workspace.configure(table('two', s.model.url));
    const used = await runOxbow(['gateway', 'use', 'two/m2'], { workspace: s.workspace });
    expect(used.stderr).toContain(`The gateway at ${url} now sends to two/m2.\n`);
    await (await ask(url, { model: 'gpt-5.5' })).text();
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['m2']);
  });

  test('use says why a gateway keeps its configuration', async () => {
    const { url, workspace, toml, verb } = await twoProviders();
    workspace.configure(`${toml}[gateway.aliases]\nx = 5\n`);
    const used = await verb('use', 'two');
    expect(used.code).toBe(1);
    expect(used.stderr).toContain(`gateway.aliases`);
    workspace.configure(`${toml}[gateway.models]\nx = "nobody/x"\n`);
    const second = await verb('use', 'two');
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`The gateway at ${url} keeps its configuration: Unknown model provider "nobody"`);
  });

  test.each([
    [['use'], 2, 'oxbow gateway use takes PROVIDER[/MODEL].'],
    [['use', 'nobody'], 2, 'oxbow gateway use: there is no provider "nobody".'],
    [['use', 'olama/x'], 2, 'Did you mean ollama?'],
    [['use', 'a', 'b'], 2, 'oxbow gateway use takes PROVIDER[/MODEL]'],
    [['status', 'x'], 2, 'Unexpected "x".'],
    [['models', '--wire', 'chat'], 2, '--wire needs --upstream URL.'],
    [['clients', '--yaml'], 2, "Unknown option '--yaml'."],
  ])('%j ends with one sentence', async (words, code, sentence) => {
    const { workspace } = await scene([]);
    const result = await runOxbow(['gateway', ...words], { workspace });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(sentence);
    expect(existsSync(join(workspace.home, 'config.toml'))).toBe(false);
  });

  test('use without a gateway says how to start one', async () => {
    const { workspace } = await scene([]);
    const result = await runOxbow(['gateway', 'use', 'ollama/qwen3'], { workspace });
    expect(result).toMatchObject({ code: 0, stdout: '' });
    expect(result.stderr).toContain('No gateway runs. To start one: oxbow gateway\n');
    expect(readFileSync(join(workspace.home, 'config.toml'), 'utf8')).toBe(
      '[gateway]\nmodel = "qwen3"\nprovider = "ollama"\n',
    );
  });
});

describe('gateway models', () => {
  test('lists the names of the configuration and those of the server', async () => {
    const s = await scene([]);
    const server = await startListingServer(s.model, ['a']);
    s.workspace.configure(
      `[model_providers.mine]\nbase_url = "${server.url}"\n[gateway]\nprovider = "mine"\n[gateway.models]\nbig = "zai/glm"\n`,
    );
    const result = await runOxbow(['gateway', 'models'], { workspace: s.workspace });
    expect(result).toMatchObject({ code: 0, stderr: '', stdout: 'model  provider\nbig    zai\na      mine\n' });
    const other = await runOxbow(['gateway', 'models', '--upstream', server.url, '--json'], { workspace: s.workspace });
    expect(JSON.parse(other.stdout)).toEqual([{ id: 'a', provider: 'upstream' }]);
    const none = await runOxbow(['gateway', 'models', '--upstream', '127.0.0.1:1'], { workspace: s.workspace });
    expect(none).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'The server lists no models. Clients may still name one.\n',
    });
  });
});

test.each([[], ['run'], ['use'], ['status'], ['models'], ['clients']])(
  '--help of %s has an example',
  async (...words) => {
    const { workspace } = await scene([]);
    const { code, stdout } = await runOxbow(['gateway', ...words, '--help'], { workspace });
    expect(code).toBe(0);
    expect(stdout).toContain('\nExample:\n  oxbow gateway');
    expect(stdout.split('\n').length).toBeLessThanOrEqual(42);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  },
);
