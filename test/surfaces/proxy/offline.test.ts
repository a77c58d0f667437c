import { describe, expect, test } from 'vitest';
import { createAgent } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startProxy } from '../../harness/start-proxy.ts';

const FAR = { url: 'https://models.test/v1' };
const SENTENCE = /Oxbow is offline, so https:\/\/models\.test was not contacted: only this machine .* is\./;

describe('with --offline', () => {
  test('a server on this machine is used, and no proxy', async () => {
    const { model, workspace } = await scene([reply(say('done'))]);
    const proxy = await startProxy();
    const env = { HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url };
    const result = await runOxbow(['exec', '--offline', 'go'], { workspace, model, env });
    expect(result).toMatchObject({ code: 0 });
    expect(proxy.count()).toBe(0);
  });

  test.each([
    ['exec', '--offline', 'go'],
    ['exec', '-c', 'offline=true', 'go'],
  ])('another one is an error at once: %s %s', async (...args) => {
    const { workspace } = await scene([]);
    const proxy = await startProxy();
    const env = { HTTPS_PROXY: proxy.url };
    const result = await runOxbow(args, { workspace, model: FAR, env });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(SENTENCE);
    expect(result.stderr).not.toContain('Retrying');
    expect(proxy.count()).toBe(0);
  });

  test('an MCP server behind another address is a fault with the same words', async () => {
    const { workspace } = await scene([]);
    workspace.configure('[mcp_servers.web]\nurl = "https://tools.test/mcp"\n');
    const result = await runOxbow(['mcp', 'tools', 'web', '--offline'], { workspace });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/Oxbow is offline, so https:\/\/tools\.test was not contacted/);
  });

  test('clients of the gateway get the same words', async () => {
    const { workspace } = await scene([]);
    const args = ['gateway', '--json', '--port', '0', '--offline', '--upstream', FAR.url];
    const gateway = await startOxbow(args, { workspace });
    const { url } = await gateway.waitForEvent(({ type }) => type === 'gateway.started');
    const body = JSON.stringify({ model: 'm', input: 'go' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/responses`, { method: 'POST', headers, body });
    expect(await response.text()).toMatch(SENTENCE);
    gateway.kill('SIGTERM');
    await gateway.wait();
  });
});

test('a project cannot turn offline off', async () => {
  const { workspace } = await scene([], { '.codex/config.toml': 'offline = false\n' });
  workspace.configure(`offline = true\n[projects."${workspace.path}"]\ntrust_level = "trusted"\n`);
  const { stdout } = await runOxbow(['config'], { workspace });
  expect(stdout).toMatch(/^offline += true/m);
});

test('a program is offline by a setting, and its own fetch is not called for other machines', async () => {
  const { workspace } = await scene([]);
  let count = 0;
  const agent = createAgent({
    hermetic: true,
    cwd: workspace.path,
    settings: {
      offline: true,
      model: 'm',
      model_provider: 'far',
      model_providers: { far: { base_url: FAR.url, wire_api: 'responses' } },
    },
    fetch: async () => {
      count++;
      throw new Error('never');
    },
  });
  const thread = await agent.startThread();
  const result = await thread.run('go').catch((error: unknown) => error);
  expect(JSON.stringify(result) + String(result)).toMatch(SENTENCE);
  expect(count).toBe(0);
  await agent.close();
});

test('commands of the model have no network either', async () => {
  const { model, workspace, outputs } = await scene([
    reply(
      call(
        'exec_command',
        { cmd: 'cat /proc/net/dev | grep -c : ; echo "[$HTTP_PROXY$http_proxy]"' },
        { callId: 'one' },
      ),
    ),
    reply(say('done')),
  ]);
  const config = {
    sandbox_mode: 'workspace-write',
    sandbox_workspace_write: { network_access: true, allowed_domains: ['example.org'] },
  };
  await runOxbow(['exec', '--offline', 'go'], { workspace, model, config });
  expect(outputs(1).get('one')).toMatch(/\n1\n\[\]/);
});
