import { expect, test } from 'vitest';
import { reply, say } from '../../../src/testing/index.ts';
import { startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { startProxy } from '../../harness/start-proxy.ts';
import { hasOpenssl, startSecure } from '../../harness/start-secure.ts';

async function startGateway(upstream: string, env: Record<string, string>) {
  const { workspace } = await scene([]);
  const args = ['gateway', '--json', '--port', '0', '--upstream', upstream, '--wire', 'responses'];
  const gateway = await startOxbow(args, { workspace, env });
  const started = await gateway.waitForEvent((event) => event.type === 'gateway.started');
  return { gateway, url: String(started.url) };
}

const ask = (url: string, stream: boolean) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'go' }] }),
  });

test.skipIf(!hasOpenssl)('the servers of the gateway are reached through a tunnel', async () => {
  const { model } = await scene([reply(say('one')), reply(say('two'))]);
  const secure = await startSecure(model.url, { name: 'models.test' });
  const proxy = await startProxy({ user: 'me:w0rd-of-the-proxy' });
  const env = { https_proxy: proxy.signedUrl, NODE_EXTRA_CA_CERTS: secure.certificate };
  const { gateway, url } = await startGateway(secure.url, env);
  expect(await (await ask(url, false)).text()).toContain('one');
  expect(await (await ask(url, true)).text()).toMatch(/two[\s\S]*\[DONE\]/);
  expect(proxy.passed).toEqual([`CONNECT models.test:${new URL(secure.url).port}`]);
  gateway.kill('SIGTERM');
  await gateway.wait();
});

test('a proxy that refuses is named to clients of the gateway', async () => {
  const proxy = await startProxy({ fault: 403 });
  const { gateway, url } = await startGateway('https://models.test/v1', { HTTPS_PROXY: proxy.url });
  const response = await ask(url, false);
  expect(response.status).toBeGreaterThanOrEqual(500);
  expect(await response.text()).toMatch(/The proxy .* refused to connect to models\.test:443: status 403/);
  gateway.kill('SIGTERM');
  await gateway.wait();
});
