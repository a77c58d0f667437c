import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { call, gate, raw, reply, say, startCassetteServer } from '../../../src/testing/index.ts';
import { bodyOf } from '../../corpus/quirks/read-corpus.mjs';
import { runCase } from '../../corpus/quirks/run-case.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { ask, gatewayStarter } from './start-gateway.ts';

const start = gatewayStarter();

describe('a server named on the command line', () => {
  test('is served on both wires, and every exchange is printed, counted and logged without secrets', async () => {
    const s = await scene([reply(say('one')), reply(say('two'))]);
    const { program, url, exchange } = await start(
      ['--upstream', s.model.url, '--wire', 'chat', '--upstream-key-env', 'UPSTREAM'],
      { workspace: s.workspace, env: { UPSTREAM: 'very-secret-value' } },
    );
    const first = await ask(url);
    expect(first.status).toBe(200);
    expect(await first.text()).toContain('event: response.completed');
    const second = await ask(url, { path: '/v1/chat/completions' });
    expect(await second.text()).toContain('data: [DONE]');
    expect(s.model.requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
    expect(s.model.requests[0]?.headers.authorization).toBe('Bearer very-secret-value');
    expect(await exchange(0)).toMatchObject({ client_wire: 'responses', server_wire: 'chat', status: 200, model: 'm' });
    expect(await exchange(1)).toMatchObject({ client_wire: 'chat', server_wire: 'chat', status: 200 });

    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('{client_wire="responses",server_wire="chat",provider="upstream",status="200"} 1');
    expect(metrics).toContain('oxbow_gateway_active 0');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    program.kill('SIGTERM');
    const result = await program.wait();
    expect(result).toMatchObject({ code: 0, signal: null });
    expect(result.stderr).toBe(`The gateway listens on ${url}/v1\n`);
    const log = readFileSync(join(s.workspace.home, 'log', 'gateway.log'), 'utf8');
    const lines = log.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { client_wire: 'responses' },
      { client_wire: 'chat' },
    ]);
    expect(log + result.stdout).not.toContain('very-secret');
  });

  test('is recorded in a file that can be replayed', async () => {
    const s = await scene([reply(say('one'))]);
    const env = { UPSTREAM: 'very-secret-value' };
    const args = ['--upstream', s.model.url, '--wire', 'responses', '--upstream-key-env', 'UPSTREAM'];
    const { program, url } = await start([...args, '--record', 'tapes'], { workspace: s.workspace, env });
    await (await ask(url)).text();
    program.kill('SIGTERM');
    await program.wait();
    const [name = '', ...more] = readdirSync(s.workspace.file('tapes'));
    expect(more).toEqual([]);
    const tape = join(s.workspace.file('tapes'), name);
    expect(statSync(tape).mode & 0o777).toBe(0o600);
    expect(readFileSync(tape, 'utf8')).not.toContain('very-secret');
    const server = await startCassetteServer(tape);
    onTestFinished(() => server.close());
    const again = await start(['--upstream', server.url, '--wire', 'responses'], { workspace: s.workspace });
    expect(await (await ask(again.url)).text()).toContain('one');
  });
});

const CHAT = '/v1/chat/completions';

const TOOL_CALLS = raw({
  id: 'chatcmpl_1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'm',
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      finish_reason: null,
    },
  ],
});

describe('a response that had to be repaired', () => {
  const broken = () => reply(call('look', { at: 1 }), call('look', { at: 2 }), { finishReason: 'stop' });

  test('is recorded as a case of the corpus, which yields the same result', async () => {
    const s = await scene([broken()]);
    const args = ['--upstream', s.model.url, '--wire', 'chat', '--record', 'tapes'];
    const { program, url } = await start(args, { workspace: s.workspace });
    const answer = await ask(url, { path: '/v1/chat/completions' });
    expect(await answer.text()).toContain('"finish_reason":"tool_calls"');
    program.kill('SIGTERM');
    await program.wait();
    const folder = s.workspace.file('tapes/quirks');
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const kase = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    expect(kase).toMatchObject({ wire: 'chat', expect: { finish: 'calls', repairs: ['A1'] } });
    expect(runCase(kase, [bodyOf(kase)])).toMatchObject(kase.expect);
  });

  test.each([CHAT, '/v1/responses', '/v1/messages'])(
    'seed 001: the log says which frame began the call, for %s',
    async (path) => {
      const words = Array.from({ length: 25 }, (_, n) => `word${n}`).join(' ');
      const s = await scene([reply(say(words), TOOL_CALLS, { finishReason: 'stop' })]);
      const { program, url, exchange } = await start(['--upstream', s.model.url, '--wire', 'chat'], s);
      expect(await (await ask(url, { path })).text()).toContain('word24');
      expect(await exchange(0)).toMatchObject({ calls: [{ frame: 27, calls: 1 }] });
      program.kill('SIGTERM');
      await program.wait();
      const log = readFileSync(join(s.workspace.home, 'log', 'gateway.log'), 'utf8');
      const { messages } = JSON.parse(log);
      expect(messages).toEqual([
        'Received chunk #27 with tool_calls: 1 calls',
        "Setting finish_reason to 'tool_calls' (detected tool_calls in stream)",
      ]);
      expect(log).not.toContain('word24');
    },
  );

  test('a healthy response without calls has no such messages in the log', async () => {
    const s = await scene([reply(say('one'))]);
    const { url, exchange } = await start(['--upstream', s.model.url, '--wire', 'chat'], s);
    await (await ask(url)).text();
    expect(await exchange(0)).toMatchObject({ calls: [], messages: [] });
  });

  test('sends a single-call client the first call only', async () => {
    const s = await scene([broken()]);
    const args = ['--upstream', s.model.url, '--wire', 'chat', '-c', 'gateway.single_call=true'];
    const { url, exchange } = await start(args, { workspace: s.workspace });
    const body = await (await ask(url, { path: '/v1/chat/completions' })).text();
    expect(body).toContain('{\\"at\\":1}');
    expect(body).not.toContain('{\\"at\\":2}');
    expect((await exchange(0)).repairs).toMatchObject([{ id: 'single_call' }, { id: 'A1' }]);
  });
});

describe('the configuration', () => {
  const config = (model: string) => ({ gateway: { models: { fast: `scripted/${model}` } } });

  test('is read again on SIGHUP, and a broken one leaves the old one in place', async () => {
    const s = await scene(() => reply(say('yes')));
    const options = { workspace: s.workspace, model: s.model };
    const { program, url } = await start([], { ...options, config: config('one') });
    await (await ask(url, { model: 'fast' })).text();
    await runOxbow(['--version'], { ...options, config: config('two') });
    program.kill('SIGHUP');
    await program.waitForEvent(({ type }) => type === 'gateway.reloaded');
    await (await ask(url, { model: 'fast' })).text();
    s.workspace.configure('gateway.max_exchanges = "many"');
    program.kill('SIGHUP');
    const failed = await program.waitForEvent(({ type }) => type === 'gateway.reload_failed');
    expect(failed.message).toContain('gateway.max_exchanges must be a number');
    await (await ask(url, { model: 'fast' })).text();
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['one', 'two', 'two']);
    program.kill('SIGINT');
    expect((await program.wait()).code).toBe(0);
  });

  test('cannot remove the key while the address is public', async () => {
    const s = await scene([]);
    const options = { workspace: s.workspace, model: s.model, env: { CLIENT: 'client-key-1' } };
    const { program, url } = await start([], {
      ...options,
      config: { gateway: { host: '0.0.0.0', key_env: 'CLIENT' } },
    });
    await runOxbow(['--version'], { ...options, config: {} });
    program.kill('SIGHUP');
    const failed = await program.waitForEvent(({ type }) => type === 'gateway.reload_failed');
    expect(failed.message).toContain('Without a key the gateway listens on this machine only, not on 0.0.0.0.');
    expect((await ask(url.replace('0.0.0.0', '127.0.0.1'))).status).toBe(401);
  });

  test('the configured model replaces names that only Codex knows', async () => {
    const s = await scene(() => reply(say('yes')));
    const { url } = await start([], { workspace: s.workspace, model: s.model });
    for (const model of ['codex-auto-review', 'other']) await (await ask(url, { model })).text();
    expect(s.model.requests.map(({ body }) => body.model)).toEqual(['scripted', 'other']);
    const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(['scripted']);
  });
});

describe('shutdown', () => {
  async function held() {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const s = await scene([reply(say('first half'), gate(opened), say('second half'))]);
    const args = ['--upstream', s.model.url, '--wire', 'responses'];
    const started = await start(args, { workspace: s.workspace });
    const response = await ask(started.url);
    return { ...started, response, open };
  }

  test('SIGTERM lets open exchanges finish', async () => {
    const { program, url, response, open } = await held();
    program.kill('SIGTERM');
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          ({ status }) => status < 400,
          () => false,
        ),
      )
      .toBe(false);
    open();
    const text = await response.text();
    expect(text).toContain('second half');
    expect(text).toContain('response.completed');
    expect((await program.wait()).code).toBe(0);
  });

  test('the second signal ends it at once', async () => {
    const { program, url, response } = await held();
    program.kill('SIGTERM');
    await expect
      .poll(() =>
        fetch(`${url}/healthz`).then(
          ({ status }) => status < 400,
          () => false,
        ),
      )
      .toBe(false);
    program.kill('SIGTERM');
    await expect(response.text()).rejects.toThrow();
    expect((await program.wait()).code).toBe(143);
  });
});

describe('safety', () => {
  test('a client needs the configured key', async () => {
    const s = await scene([reply(say('one'))]);
    const args = ['--upstream', s.model.url, '--wire', 'responses', '--key-env', 'CLIENT'];
    const { url } = await start(args, { workspace: s.workspace, env: { CLIENT: 'client-key-1' } });
    expect((await ask(url)).status).toBe(401);
    expect((await ask(url, { headers: { authorization: 'Bearer client-key-2' } })).status).toBe(401);
    expect(s.model.requests).toEqual([]);
    const known = await ask(url, { headers: { authorization: 'Bearer client-key-1' } });
    expect(await known.text()).toContain('response.completed');
    expect(JSON.stringify(s.model.requests[0]?.headers)).not.toContain('client-key');
  });

  test('a web page from another origin is refused', async () => {
    const s = await scene([]);
    const { url } = await start(['--upstream', s.model.url], { workspace: s.workspace });
    expect((await ask(url, { headers: { origin: 'https://example.com' } })).status).toBe(403);
    expect(s.model.requests).toEqual([]);
  });

  test.each([
    [['--host', '0.0.0.0', '--upstream', 'localhost:1'], 1, 'Without a key the gateway listens on this machine only'],
    [['--key-env', 'UNSET', '--upstream', 'localhost:1'], 1, 'The variable UNSET is not set or empty.'],
    [['--upstream', 'gopher://x'], 1, '"gopher://x" is not a web address.'],
    [['--wire', 'chat'], 2, '--wire needs --upstream URL.'],
    [['--upstream', 'localhost:1', '--wire', 'soap'], 1, 'There is no wire "soap" for the server at localhost:1.'],
    [['--upstream', 'localhost:1', '--wire', ''], 1, 'Choose one of: auto, responses, chat, messages, ollama. On the'],
    [['--upstream', 'localhost:1', '-m', ''], 2, '-m names no model. Write -m MODEL, or leave it out.'],
    [['--provider', ''], 2, '--provider "" names no provider. oxbow providers lists all.'],
    [['--provider', '/m'], 2, '--provider "/m" names no provider before its slash. oxbow providers lists all.'],
    [['--provider', 'ollama/'], 2, '--provider "ollama/" names no model behind its slash.'],
    [['use', ''], 2, 'oxbow gateway use "" names no provider.'],
    [['-c', 'model_provider=""'], 1, 'The name of a model provider is empty.'],
    [['--port', 'x'], 2, '--port takes a number from 0 to 65535, not "x".'],
    [['--provider', 'olama'], 2, '--provider: there is no provider "olama". Did you mean ollama?'],
    [['--provider', 'azure'], 1, 'The model provider "azure" has no base_url'],
    [['--provider', 'ollama', '--upstream', 'localhost:1'], 2, '--upstream and --provider both say'],
    [['--provider', 'ollama/a', '-m', 'b'], 2, '--provider ollama/a names a model, and -m b another one.'],
    [['--provider', 'ollama', '--wire', 'chat'], 2, '--wire needs --upstream URL.'],
    [['--write'], 2, '--write needs --for CLIENT.'],
    [['--upstream', 'localhost:1', '--record', '/dev/null/x'], 1, 'The exchanges cannot be recorded in /dev/null/x'],
    [['extra'], 2, 'oxbow gateway has no verb "extra".'],
    [['statu'], 2, 'Did you mean status?'],
    [['--port', '0', 'extra'], 2, 'Unexpected "extra".'],
  ])('%j ends with one sentence', async (args, code, sentence) => {
    const { workspace } = await scene([]);
    const result = await runOxbow(['gateway', ...args], { workspace });
    expect(result.stderr).toContain(sentence);
    expect(result.code).toBe(code);
    expect(result.stdout).toBe('');
  });

  test('a port in use is named', async () => {
    const s = await scene([]);
    const { url } = await start(['--upstream', s.model.url], { workspace: s.workspace });
    const { port } = new URL(url);
    const second = await runOxbow(['gateway', '--port', port, '--upstream', s.model.url], { workspace: s.workspace });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use.`) });
  });
});
