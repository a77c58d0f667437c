import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { onControllingTerminal } from '../../harness/on-controlling-terminal.ts';
import { PROGRAM, runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { type Scene, scene } from '../../harness/scene.ts';

/** Writes a program for Node into the workspace. Returns its path. */
function program({ workspace }: Scene, name: string, code: string): string {
  const path = join(workspace.path, name);
  writeFileSync(path, `#!/usr/bin/env node\n${code}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A program that asks the gateway as the OpenAI library does, and ends with exit code 7. */
const CLIENT = `
const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
const ask = (authorization) => fetch(url + '/chat/completions', {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization },
  body: JSON.stringify({ model: 'gpt-5.5', messages: [{ role: 'user', content: 'hi' }] }),
});
(async () => {
  console.log((await ask('Bearer wrong')).status, (await ask('Bearer ' + key)).status, process.argv.slice(2).join(','));
  process.exitCode = 7;
})();`;

/** A program that shows its arguments and its variables. */
const SHOW = `const { SCRIPTED_KEY: _, ...env } = process.env;
console.log(JSON.stringify({ args: process.argv.slice(2), env }));`;

const upstream = (s: Scene) => ['--upstream', s.model.url, '--wire', 'chat', '-m', 'big'];

test('a program gets a gateway of its own with a key, and its exit code is the result', async () => {
  const s = await scene([reply(say('hello'))]);
  const path = program(s, 'my-agent', CLIENT);
  const result = await runOxbow(['gateway', 'run', ...upstream(s), '--', path, 'a', '--json', '--help'], s);
  expect(result).toMatchObject({ code: 7, stdout: '401 200 a,--json,--help\n' });
  expect(result.stderr).toMatch(/^my-agent uses the gateway at http:\/\/127\.0\.0\.1:\d+\n$/);
  expect(s.model.requests.map(({ body }) => body.model)).toEqual(['big']);
  expect(existsSync(join(s.workspace.home, 'gateways')) && readdirSync(join(s.workspace.home, 'gateways'))).toEqual([]);
});

test('the program may be the first word', async () => {
  const s = await scene([reply(say('hello'))]);
  const path = program(s, 'my-agent', CLIENT);
  const result = await runOxbow(['gateway', 'run', path, '-m', 'x'], s);
  expect(result).toMatchObject({ code: 7, stdout: '401 200 -m,x\n' });
});

interface Shown {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function shownBy(name: string, args: readonly string[] = []): Promise<Shown & { readonly url: string }> {
  const s = await scene([]);
  const path = program(s, name, SHOW);
  const result = await runOxbow(['gateway', 'run', ...upstream(s), ...args, '--', path, 'word'], s);
  expect(result.code).toBe(0);
  const shown = JSON.parse(result.stdout) as Shown;
  const url = /http:\S+/.exec(result.stderr)?.[0] ?? '';
  expect(shown.args.at(-1)).toBe('word');
  return { ...shown, url };
}

test('Codex is told by flags', async () => {
  const { args, env, url } = await shownBy('codex');
  expect(args).toEqual([
    ...['-c', 'model="big"', '-c', 'model_provider="oxbow"', '-c', 'model_providers.oxbow.name="Oxbow"'],
    ...['-c', `model_providers.oxbow.base_url="${url}/v1"`, '-c', 'model_providers.oxbow.wire_api="responses"'],
    ...['-c', 'model_providers.oxbow.supports_websockets=false'],
    ...['-c', 'model_providers.oxbow.env_key="OXBOW_GATEWAY_KEY"', 'word'],
  ]);
  expect(env.OXBOW_GATEWAY_KEY).toMatch(/^[\w-]{43}$/);
  expect(env.OPENAI_BASE_URL).toBeUndefined();
});

test('Claude Code is told by variables, and by settings that count more than those of the user', async () => {
  const s = await scene([]);
  const code = `const fs = require('node:fs'); const [, , flag, file] = process.argv;
    const { SCRIPTED_KEY: _, ...env } = process.env;
    console.log(JSON.stringify({ flag, settings: JSON.parse(fs.readFileSync(file)), mode: fs.statSync(file).mode & 0o777, env, file }));`;
  const path = program(s, 'claude', code);
  const result = await runOxbow(['gateway', 'run', ...upstream(s), '--', path, '-p', 'hi'], s);
  const { flag, settings, mode, env, file } = JSON.parse(result.stdout);
  expect({ flag, mode }).toEqual({ flag: '--settings', mode: 0o600 });
  expect(settings.env).toEqual({
    ANTHROPIC_BASE_URL: /http:\S+/.exec(result.stderr)?.[0],
    ANTHROPIC_MODEL: 'big',
    ANTHROPIC_DEFAULT_OPUS_MODEL: 'big',
    ANTHROPIC_DEFAULT_SONNET_MODEL: 'big',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'big',
    ANTHROPIC_AUTH_TOKEN: env.OXBOW_GATEWAY_KEY,
  });
  expect(env).toMatchObject({ ...settings.env, ANTHROPIC_API_KEY: '' });
  expect(existsSync(file)).toBe(false);
});

test('other clients get their variables, and unknown programs those of all libraries', async () => {
  const opencode = await shownBy('opencode');
  expect(JSON.parse(opencode.env.OPENCODE_CONFIG_CONTENT ?? '')).toMatchObject({
    model: 'oxbow/big',
    provider: { oxbow: { options: { baseURL: `${opencode.url}/v1`, apiKey: '{env:OXBOW_GATEWAY_KEY}' } } },
  });
  const openhands = await shownBy('openhands');
  expect(openhands.args).toEqual(['--override-with-envs', 'word']);
  expect(openhands.env).toMatchObject({ LLM_BASE_URL: `${openhands.url}/v1`, LLM_MODEL: 'openai/big' });
  const ollama = await shownBy('ollama');
  expect(ollama.env).toMatchObject({ OLLAMA_HOST: ollama.url });
  expect(ollama.env.OXBOW_GATEWAY_KEY).toBeUndefined();
  const { env, url } = await shownBy('something');
  const key = env.OXBOW_GATEWAY_KEY;
  expect(env).toMatchObject({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    OLLAMA_HOST: url,
  });
});

test('--for overrides the name of the program', async () => {
  const { args } = await shownBy('something', ['--for', 'codex']);
  expect(args).toContain('model_provider="oxbow"');
});

test.each([
  [['--', '/nowhere/codex'], 127, 'oxbow: There is no program "/nowhere/codex". Install it, or name its path.'],
  [['--', '/etc/passwd'], 126, 'oxbow: The program "/etc/passwd" cannot be started'],
  [
    ['--', 'pi'],
    2,
    'pi reads the address of a server from its own file only. Start oxbow gateway, and set it up with oxbow gateway --for pi --write.',
  ],
  [[], 2, 'oxbow gateway run takes a program after --.'],
  [['--'], 2, 'oxbow gateway run takes a program after --.'],
  [['-m', 'x', 'codex'], 2, 'Write -- before the program, which is "codex".'],
  [['--port', '5', '--', 'true'], 2, "Unknown option '--port'."],
  [['--for', 'codx', '--', 'true'], 2, '--for does not know "codx". Did you mean codex?'],
])('%j ends with %i and a sentence', async (words, code, sentence) => {
  const s = await scene([]);
  const result = await runOxbow(['gateway', 'run', ...words], s);
  expect(result.stderr).toContain(sentence);
  expect(result).toMatchObject({ code, stdout: '' });
});

test('signals go to the program, and the gateway stays until it ends', async () => {
  const s = await scene([reply(say('hello'))]);
  const code = `process.on('SIGTERM', async () => {
      const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env;
      const { status } = await fetch(url + '/models', { headers: { authorization: 'Bearer ' + key } });
      console.log('still there', status);
      process.exit(5);
    });
    setInterval(() => {}, 1000);
    process.stderr.write('ready\\n');`;
  const running = await startOxbow(['gateway', 'run', ...upstream(s), '--', program(s, 'waiter', code)], s);
  await running.waitForError(/ready\n/);
  const status = await runOxbow(['gateway', 'status', '--json'], { workspace: s.workspace });
  expect(JSON.parse(status.stdout)).toMatchObject([{ pid: running.pid, source: 'run', model: 'big' }]);
  const used = await runOxbow(['gateway', 'use', 'ollama'], { workspace: s.workspace });
  expect(used).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it belongs to one program and ends with it.'),
  });
  running.kill('SIGTERM');
  expect(await running.wait()).toMatchObject({ code: 5, stdout: 'still there 200\n' });
});

test('a program that a signal ended has the exit code of a shell', async () => {
  const s = await scene([]);
  const path = program(s, 'killed', 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);');
  expect(await runOxbow(['gateway', 'run', '--', path], s)).toMatchObject({ code: 137 });
});

test('Ctrl-C reaches the program once, which has the terminal', async () => {
  const s = await scene([]);
  const code = `let count = 0;
    process.on('SIGINT', () => {
      count++;
      setTimeout(() => { console.log('interrupted ' + count + ' tty ' + process.stdin.isTTY); process.exit(3); }, 300);
    });
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const path = program(s, 'waiter', code);
  const terminal = await onControllingTerminal(`"${PROGRAM}" gateway run -- "${path}"; echo "code $?"`, s);
  await terminal.printed('ready');
  terminal.type('\u0003');
  await terminal.printed('interrupted 1 tty true');
  await terminal.printed('code 3');
  await terminal.wait();
});

test('the files of the user stay as they are, and the key is in no log', async () => {
  const s = await scene([reply(say('hello'))]);
  const path = program(
    s,
    'my-agent',
    `${CLIENT}\nrequire('node:fs').writeFileSync('key', process.env.OPENAI_API_KEY);`,
  );
  await runOxbow(['gateway', 'run', ...upstream(s), '--record', 'tapes', '--', path], s);
  expect(readdirSync(s.workspace.home).sort()).toEqual(['config.toml', 'gateways', 'log']);
  const key = readFileSync(s.workspace.file('key'), 'utf8');
  const [tape = ''] = readdirSync(s.workspace.file('tapes'));
  const kept = [join(s.workspace.home, 'log', 'gateway.log'), join(s.workspace.file('tapes'), tape)];
  for (const file of kept) expect(readFileSync(file, 'utf8')).not.toContain(key);
});
