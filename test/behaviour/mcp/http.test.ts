import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly word: string } };
}

/** Starts an MCP server over HTTP on loopback that wants a token. Returns its address. */
async function startServer(token: string): Promise<string> {
  const answers: Readonly<Record<string, (message: Message) => object>> = {
    initialize: ({ params }) => ({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'web', version: '1' },
    }),
    'tools/list': () => ({
      tools: [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    }),
    'tools/call': ({ params }) => ({ content: [{ type: 'text', text: params?.arguments?.word }] }),
  };
  const server = createServer(async (request, response) => {
    if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end();
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = (await json(request)) as Message;
    if (message.id === undefined) return response.writeHead(202).end();
    const answer = answers[message.method];
    const body = answer ? { result: answer(message) } : { error: { code: -32601, message: 'Method not found' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

test('a server over HTTP is used, with a token from a variable that commands do not get', async () => {
  const url = await startServer('s3cret');
  const s = await scene([
    reply(call('web__echo', { word: 'hello' }), call('exec_command', { cmd: 'echo "[$MY_WORD]"' })),
    reply(say('done')),
  ]);
  const { code } = await runOxbow(['exec', 'go'], {
    ...s,
    config: { mcp_servers: { web: { url, bearer_token_env_var: 'MY_WORD' } } },
    env: { MY_WORD: 's3cret' },
  });
  expect(code).toBe(0);
  const [echoed, printed] = [...s.outputs(1).values()];
  expect(echoed).toMatch(/\nhello$/);
  expect(printed).toContain('[]');
});

test('a server whose token is missing is a warning that names the variable', async () => {
  const url = await startServer('s3cret');
  const s = await scene([reply(say('done'))]);
  const { code, stderr } = await runOxbow(['exec', 'go'], {
    ...s,
    config: { mcp_servers: { web: { url, bearer_token_env_var: 'MY_WORD' } } },
  });
  expect(code).toBe(0);
  expect(stderr).toMatch(/warning: .*"web".*MY_WORD/);
});
