import { expect, onTestFinished, test } from 'vitest';
import { startHttpServer } from '../../../src/mcp-client/fixtures/http-server.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startProxy } from '../../harness/start-proxy.ts';
import { hasOpenssl, startSecure } from '../../harness/start-secure.ts';

const outside = (url: string) => url.replace('127.0.0.1', 'tools.test');

async function startTools(options: Parameters<typeof startHttpServer>[0] = {}) {
  const server = await startHttpServer(options);
  onTestFinished(() => server.close());
  return server;
}

test.each([false, true])('MCP servers over HTTP are reached through the proxy, with streams: %s', async (sse) => {
  const tools = await startTools({ sse, session: 'abc' });
  const proxy = await startProxy({ user: 'me:w0rd-of-the-proxy' });
  const { model, workspace, outputs } = await scene([
    reply(call('web__echo', { word: 'hello' }, { callId: 'one' })),
    reply(say('done')),
  ]);
  const config = { mcp_servers: { web: { url: outside(tools.url), startup_timeout_sec: 20, required: true } } };
  const env = { http_proxy: proxy.signedUrl };
  const result = await runOxbow(['exec', 'go'], { workspace, model, config, env });
  expect(result).toMatchObject({ code: 0 });
  expect(outputs(1).get('one')).toContain('hello');
  expect(proxy.passed[0]).toMatch(/^POST http:\/\/tools\.test:/);
  expect(proxy.passed.some((line) => line.startsWith('DELETE '))).toBe(true);
  expect(JSON.stringify(tools.requests)).not.toContain('proxy-authorization');
});

test.skipIf(!hasOpenssl)('oxbow mcp tools goes through a tunnel and trusts a certificate of a variable', async () => {
  const tools = await startTools();
  const secure = await startSecure(tools.url, { name: 'tools.test' });
  const proxy = await startProxy();
  const { workspace } = await scene([]);
  const url = secure.url.replace('/v1', new URL(tools.url).pathname);
  workspace.configure(`[mcp_servers.web]\nurl = "${url}"\n`);
  const env = { HTTPS_PROXY: proxy.url, SSL_CERT_FILE: secure.certificate };
  const result = await runOxbow(['mcp', 'tools', 'web'], { workspace, env });
  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('echo') });
  expect(proxy.passed.length).toBeGreaterThan(0);
  expect(new Set(proxy.passed)).toEqual(new Set([`CONNECT tools.test:${new URL(secure.url).port}`]));
});

test('a proxy that refuses is named in the fault of an MCP server', async () => {
  const proxy = await startProxy({ fault: 403 });
  const { workspace } = await scene([]);
  workspace.configure('[mcp_servers.web]\nurl = "https://tools.test/mcp"\n');
  const result = await runOxbow(['mcp', 'tools', 'web'], { workspace, env: { HTTPS_PROXY: proxy.url } });
  expect(result.code).toBe(1);
  expect(result.stderr).toMatch(/The proxy .* \(HTTPS_PROXY\) refused to connect to tools\.test:443: status 403/);
});
