import { request } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { call, reply, type Script } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';
import { survivors } from '../../harness/survivors.ts';
import { mcpScene, startMcpHttp, WAYS } from './mcp-scene.ts';

async function httpScene(flags: readonly string[], env: Readonly<Record<string, string>> = {}, script: Script = []) {
  const { workspace, model } = await scene(script);
  workspace.configure(scriptedConfig(model.url));
  const started = await startMcpHttp(workspace, flags, env);
  onTestFinished(async () => {
    started.program.kill('SIGTERM');
    expect(await started.program.wait()).toMatchObject({ code: 0 });
  });
  return started;
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
});

/** Sends a request with any headers. `fetch` would not let the test choose the host. */
function post(url: string, headers: Readonly<Record<string, string>>, body = INITIALIZE): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

test('a key is made and printed once, and no request is answered without it', async () => {
  const { url, said } = await httpScene([]);
  const [, key = ''] = /Bearer (\S+)/.exec(said) ?? [];
  expect(key).toMatch(/^[\w-]{32}$/);
  expect(await post(url, {})).toBe(401);
  expect(await post(url, { authorization: 'Bearer wrong' })).toBe(401);
  expect(await post(url, { authorization: `Bearer ${key}` })).toBe(200);
  const headers = { authorization: `Bearer ${key}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  const client = new Client({ name: 't', version: '1' });
  await client.connect(transport);
  expect((await client.listTools()).tools).toHaveLength(2);
  await client.close();
});

test('the key may come from a variable, and is not printed then', async () => {
  const { url, said } = await httpScene(['--key-env', 'MY_KEY'], { MY_KEY: 'open-sesame' });
  expect(said).not.toContain('open-sesame');
  expect(await post(url, {})).toBe(401);
  expect(await post(url, { authorization: 'Bearer open-sesame' })).toBe(200);
});

test('pages of other sites are refused, by their origin and by the name of the host', async () => {
  const { url } = await httpScene(['--no-key']);
  expect(await post(url, {})).toBe(200);
  expect(await post(url, { origin: 'http://localhost:3000' })).toBe(200);
  expect(await post(url, { origin: 'https://evil.example' })).toBe(403);
  expect(await post(url, { origin: 'null' })).toBe(403);
  expect(await post(url, { host: 'evil.example' })).toBe(403);
});

test('broken requests get an answer, and the server goes on', async () => {
  const { url } = await httpScene(['--no-key']);
  expect(await post(url, {}, '{"jsonrpc":')).toBe(400);
  expect(await post(url, {}, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).toBe(400);
  expect(await post(url, { 'mcp-session-id': 'none' })).toBe(404);
  expect(await post(url.replace('/mcp', '/other'), {})).toBe(404);
  expect(await post(url, { 'content-type': 'text/plain' })).toBe(415);
  expect(await post(url, {})).toBe(200);
});

test.each([
  [['--host', '127.0.0.1'], '--host needs --http PORT.'],
  [['--http', 'x'], '--http takes a number from 0 to 65535, not "x".'],
  [['--http', '0', '--no-key', '--key-env', 'A'], '--no-key and --key-env cannot be used together.'],
  [['--http', '0', '--key-env', 'NOT_SET'], 'The variable NOT_SET is not set or empty.'],
  [['--http', '0', '--no-key', '--host', '0.0.0.0'], 'Without a key the server listens on this machine only'],
  [['now'], 'Unexpected "now". See oxbow mcp-server --help.'],
])('%j is refused', async (flags, sentence) => {
  const { workspace } = await scene([]);
  const { code, stderr, stdout } = await runOxbow(['mcp-server', ...flags], { workspace });
  expect({ failed: code !== 0, stdout }).toEqual({ failed: true, stdout: '' });
  expect(stderr).toContain(sentence);
});

test.each(WAYS.filter(({ over }) => over === 'http'))(
  'a client over HTTP that leaves in mid-turn ends the turn and its command: $revision',
  async (way) => {
    const seconds = way.revision === '2025-11-25' ? '4715.5' : '4716.5';
    const { connect } = await mcpScene(way, [
      reply(call('exec_command', { cmd: `sleep ${seconds}`, yield_time_ms: 30_000 })),
    ]);
    const leaving = await connect();
    const lost = leaving.call('codex', { prompt: 'wait' }).catch(() => 'lost');
    await expect.poll(() => survivors(seconds), { timeout: 10_000 }).toHaveLength(1);
    await leaving.close();
    expect(await lost).toBe('lost');
    await expect.poll(() => survivors(seconds), { timeout: 10_000 }).toEqual([]);
    const { client } = await connect();
    expect((await client.listTools()).tools).toHaveLength(2);
  },
);
