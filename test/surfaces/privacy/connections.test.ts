import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../../src/mcp-client/fixtures/http-server.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { type OxbowOptions, runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startProxy } from '../../harness/start-proxy.ts';
import { connectionsIn, hasStrace, traced } from '../../harness/trace-connections.ts';

/** Runs the program under a trace. Returns its result, and the addresses that it or a child of it used. */
async function run(args: readonly string[], options: OxbowOptions) {
  const file = join(options.workspace.home, 'connections.trace');
  const result = await runOxbow(args, { timeoutMs: 120_000, ...options, wrap: traced(file) });
  return { result, contacted: connectionsIn(file) };
}

const FAR = { url: 'https://models.test/v1' };
const hostOf = (url: string) => new URL(url).host;

describe.skipIf(!hasStrace)('connections', () => {
  test('of a turn with a command and a tool of an MCP server lead to the configured hosts only', async () => {
    const tools = await startHttpServer();
    onTestFinished(() => tools.close());
    const { model, workspace } = await scene([
      reply(call('exec_command', { cmd: 'echo hello' }), call('web__echo', { word: 'hello' })),
      reply(say('done')),
    ]);
    const config = { mcp_servers: { web: { url: tools.url, required: true } } };
    const { result, contacted } = await run(['exec', 'go'], { workspace, model, config });
    expect(result).toMatchObject({ code: 0 });
    expect(new Set(contacted)).toEqual(new Set([hostOf(model.url), hostOf(tools.url)]));
  });

  test('of a turn through a proxy lead to the proxy only, and no name is looked up', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const proxy = await startProxy();
    const env = { HTTP_PROXY: proxy.url.replace('localhost', '127.0.0.1') };
    const url = model.url.replace('127.0.0.1', 'models.test');
    const { result, contacted } = await run(['exec', 'go'], { workspace, model: { url }, env });
    expect(result).toMatchObject({ code: 0 });
    expect(contacted).toEqual([hostOf(env.HTTP_PROXY)]);
  });

  test('of a failing turn lead nowhere else, and an offline one has none', async () => {
    const { workspace } = await scene([]);
    const config = { model_providers: { scripted: { request_max_retries: 1, stream_max_retries: 0 } } };
    const failed = await run(['exec', 'go'], { workspace, model: { url: 'http://127.0.0.2:9/v1' }, config });
    expect(failed).toMatchObject({ result: { code: 1 }, contacted: ['127.0.0.2:9'] });
    const offline = await scene([]);
    const { result, contacted } = await run(['exec', '--offline', 'go'], { workspace: offline.workspace, model: FAR });
    expect(result.stderr).toContain('Oxbow is offline');
    expect(contacted).toEqual([]);
  });

  test('of the gateway lead to its server only', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const file = join(workspace.home, 'connections.trace');
    const args = ['gateway', '--json', '--port', '0', '--upstream', model.url, '--wire', 'responses'];
    const gateway = await startOxbow(args, { workspace, wrap: traced(file) });
    const { url } = await gateway.waitForEvent(({ type }) => type === 'gateway.started');
    const body = JSON.stringify({ model: 'm', input: 'go' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body });
    expect(await response.text()).toContain('done');
    await gateway.waitForEvent(({ type }) => type === 'gateway.exchange');
    gateway.kill('SIGTERM');
    await gateway.wait();
    expect(connectionsIn(file)).toEqual([hostOf(model.url)]);
  });

  test.each([
    ['--help'],
    ['--version'],
    ['threads'],
    ['usage'],
    ['config'],
    ['mcp', 'list'],
    ['completion', 'bash'],
    ['mcp-server'],
  ])('of oxbow %s do not exist', async (...args) => {
    const { workspace } = await scene([]);
    const { contacted } = await run(args, { workspace, model: FAR, stdin: '' });
    expect(contacted).toEqual([]);
  });

  // Both start servers of their own on loopback: one tries the sandbox, the other plays the model.
  test.each(['doctor', 'demo'])('of oxbow %s do not leave this machine', async (command) => {
    const { workspace } = await scene([]);
    const { contacted } = await run([command], { workspace, model: FAR, stdin: '' });
    expect(contacted.filter((address) => !address.startsWith('127.0.0.1:'))).toEqual([]);
  });
});
