import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import { fault, reply, say } from '../../../src/testing/index.ts';
import { allNodes, testOn } from '../../harness/nodes.ts';
import { runExample } from '../../harness/run-example.ts';
import { scene } from '../../harness/scene.ts';
import { hasOpenssl, startSecure } from '../../harness/start-secure.ts';

/** Starts a server that returns the tokens t1, t2 …, which last for these numbers of seconds. */
async function startTokenServer(...seconds: readonly number[]): Promise<string> {
  let given = 0;
  const server = createServer((_, response) => {
    given++;
    response.end(JSON.stringify({ access_token: `t${given}`, expires_in: seconds[given - 1] ?? 3600 }));
  });
  return urlOf(server);
}

/** Starts a proxy that notes each request: those that it forwards, and those that it makes a tunnel for. */
async function startProxy(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    seen.push(`${method} ${url}`);
    const outgoing = request(url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  server.on('connect', ({ url = '' }, socket) => {
    seen.push(`CONNECT ${url}`);
    const target = connect(Number(url.split(':')[1]), '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    socket.pipe(target).pipe(socket);
    for (const end of [socket, target]) end.on('error', () => {});
  });
  return { url: await urlOf(server), seen };
}

async function urlOf(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.each(allNodes())('programs/own-transport.mjs on Node %s', (_, node) => {
  const testHere = testOn(node);

  testHere('sends a new token after a refusal, through the proxy', async () => {
    const s = await scene([fault.status(401, {}), reply(say('Hello.'))]);
    const proxy = await startProxy();
    const env = { TOKEN_URL: await startTokenServer(), PROXY: proxy.url };
    const result = await runExample(s, 'programs/own-transport.mjs', { node, env });
    expect(result).toMatchObject({ code: 0, stdout: 'Hello.\n', stderr: '' });
    expect(s.model.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
    expect(proxy.seen).toEqual([`POST ${s.model.url}/responses`, `POST ${s.model.url}/responses`]);
  });

  testHere('renews a token that has ended, without a proxy', async () => {
    const s = await scene([fault.cut(reply(say('It breaks off.')), 300), reply(say('Hello.'))]);
    const env = { TOKEN_URL: await startTokenServer(0, 3600) };
    expect(await runExample(s, 'programs/own-transport.mjs', { node, env })).toMatchObject({ code: 0 });
    expect(s.model.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  testHere('makes a tunnel to a server that speaks TLS', async ({ skip }) => {
    skip(!hasOpenssl, 'openssl is not installed');
    const s = await scene([reply(say('Hello.'))]);
    const secure = await startSecure(s.model.url);
    const proxy = await startProxy();
    const env = { TOKEN_URL: await startTokenServer(), PROXY: proxy.url, NODE_EXTRA_CA_CERTS: secure.certificate };
    const config = { model_providers: { scripted: { base_url: secure.url } } };
    const result = await runExample(s, 'programs/own-transport.mjs', { node, env, config });
    expect(result).toMatchObject({ code: 0, stdout: 'Hello.\n', stderr: '' });
    expect(proxy.seen).toEqual([`CONNECT ${new URL(secure.url).host}`]);
    expect(s.model.requests[0]?.headers.authorization).toBe('Bearer t1');
  });
});
