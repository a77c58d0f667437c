import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import type { McpConnection, McpToolRequest } from '../../base/mcp-connection.ts';
import type { McpHttpServer } from '../../base/mcp-server-config.ts';
import { type Answer, type HttpServer, makeModern, startHttpServer } from '../fixtures/http-server.ts';
import type { McpConnectOptions } from './connect-options.ts';
import { connectServer } from './connect-server.ts';

const CONFIG: McpHttpServer = {
  type: 'http',
  name: 'web',
  url: '',
  headers: {},
  envHeaders: {},
  bearerTokenEnvVar: null,
  oauth: { clientId: null, clientSecretEnvVar: null, scopes: null, resource: null },
  enabled: true,
  required: false,
  startupTimeoutMs: 20_000,
  toolTimeoutMs: 20_000,
  enabledTools: null,
  disabledTools: [],
  parallelCalls: false,
  approval: 'auto',
  toolApprovals: {},
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serve(options?: Parameters<typeof startHttpServer>[0]): Promise<HttpServer> {
  const server = await startHttpServer(options);
  open.push(server);
  return server;
}

async function connect(
  { url }: { url: string },
  config: Partial<McpHttpServer> = {},
  more: Partial<McpConnectOptions> = {},
): Promise<McpConnection> {
  const connection = await connectServer({
    config: { ...CONFIG, url, ...config },
    start: () => Promise.reject(new Error('not a program')),
    env: {},
    clientInfo: { name: 'oxbow', version: '0' },
    onRevision() {},
    roots: () => [],
    onToolsChanged() {},
    onLog() {},
    signal: never,
    ...more,
  });
  open.push(connection);
  return connection;
}

const never = new AbortController().signal;

const call = (more: Partial<McpToolRequest> = {}): McpToolRequest => ({
  tool: 'echo',
  input: { a: 1 },
  timeoutMs: 20_000,
  maxTotalMs: 60_000,
  meta: {},
  signal: never,
  onProgress() {},
  ...more,
});

const STREAM = { 'content-type': 'text/event-stream' };

test.each([{ sse: false }, { sse: true }])('a server over HTTP answers, %o', async (options) => {
  const server = await serve(options);
  const connection = await connect(server);
  expect(connection.server).toMatchObject({ name: 'web', revision: '2025-11-25' });
  expect(await connection.listTools(never)).toMatchObject([{ name: 'echo' }]);
  expect((await connection.callTool(call())).content).toEqual([{ type: 'text', text: '{"a":1}' }]);
});

test('the token and the headers of variables are sent, and a missing variable is a sentence', async () => {
  const server = await serve();
  const config = { bearerTokenEnvVar: 'TOKEN', headers: { 'x-one': '1' }, envHeaders: { 'x-two': 'TWO' } };
  await connect(server, config, { env: { TOKEN: ' secret\n', TWO: '2' } });
  const sent = { authorization: 'Bearer secret', 'x-one': '1', 'x-two': '2' };
  expect(server.requests[0]?.headers).toMatchObject(sent);
  await expect(connect(server, config, { env: { TOKEN: 'secret' } })).rejects.toMatchObject({
    kind: 'start',
    message: 'The MCP server "web" needs the environment variable TWO for its header x-two. Set it.',
  });
});

test('an address that no server has is a start that failed', async () => {
  const server = await startHttpServer();
  await server.close();
  await expect(connect(server)).rejects.toMatchObject({
    kind: 'start',
    message: expect.stringMatching(/ECONNREFUSED/),
  });
  await expect(connect({ url: 'ftp://x' })).rejects.toMatchObject({
    kind: 'start',
    message: expect.stringMatching(/not an http or https/),
  });
});

const status =
  (code: number): Answer =>
  (_, response) =>
    response.writeHead(code).end('no');

const STATUSES = [
  ['initialize', 401, 'sign_in'],
  ['initialize', 403, 'start'],
  ['initialize', 404, 'start'],
  ['initialize', 500, 'start'],
  ['tools/list', 401, 'sign_in'],
  ['tools/list', 403, 'refused'],
  ['tools/list', 404, 'refused'],
  ['tools/list', 500, 'refused'],
  ['tools/call', 401, 'sign_in'],
  ['tools/call', 403, 'refused'],
  ['tools/call', 404, 'refused'],
  ['tools/call', 500, 'refused'],
] as const;

test.each(STATUSES)('%s with status %i is the fault %s', async (method, code, kind) => {
  const server = await serve();
  server.answers[method] = status(code);
  const run = async () => {
    const connection = await connect(server);
    await connection.listTools(never);
    await connection.callTool(call());
  };
  const message =
    kind === 'sign_in'
      ? 'The MCP server "web" wants a sign-in. Run: oxbow mcp login web'
      : expect.stringContaining(`HTTP ${code}`);
  await expect(run()).rejects.toMatchObject({ kind, message });
  expect(server.count('tools/call')).toBe(method === 'tools/call' ? 1 : 0);
});

test('a session that the server has forgotten ends the connection, and the call was not run', async () => {
  const server = await serve({ session: 's1' });
  const connection = await connect(server);
  server.answers['tools/call'] = status(404);
  await expect(connection.callTool(call())).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/did not run the request/),
  });
  expect(await connection.ended).toBe('The connection to the MCP server "web" ended.');
});

test('close ends the session', async () => {
  const server = await serve({ session: 's1' });
  const connection = await connect(server);
  await connection.close();
  expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 's1' } });
});

test('a stream that ends without an answer loses its call, which is not sent again', async () => {
  const server = await serve();
  const connection = await connect(server);
  server.answers['tools/call'] = (_, response) => response.writeHead(200, STREAM).end(': nothing\n\n');
  await expect(connection.callTool(call())).rejects.toMatchObject({ kind: 'lost' });
  server.answers['tools/call'] = (_, response) => response.destroy();
  await expect(connection.callTool(call())).rejects.toMatchObject({ kind: 'lost' });
  server.answers['tools/call'] = (_, response) => {
    response.writeHead(200, STREAM).write(': begun\n\n');
    setTimeout(() => response.destroy(), 50);
  };
  await expect(connection.callTool(call())).rejects.toMatchObject({ kind: 'lost' });
  expect(server.count('tools/call')).toBe(3);
});

test('a stream that breaks after an event is resumed, and the call is not sent again', async () => {
  const server = await serve();
  const connection = await connect(server);
  let id: unknown;
  server.answers['tools/call'] = (message, response) => {
    id = message.id;
    response.writeHead(200, STREAM).end('retry: 10\nid: e1\ndata: \n\n');
  };
  server.answers.GET = (_, response, request) => {
    if (request.headers['last-event-id'] !== 'e1') return void response.writeHead(405).end();
    const result = { content: [{ type: 'text', text: 'resumed' }] };
    response.writeHead(200, STREAM).end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  };
  expect((await connection.callTool(call())).content).toMatchObject([{ text: 'resumed' }]);
  expect(server.count('tools/call')).toBe(1);
});

test.each([{ sse: false }, { sse: true }])('a result of 100 MB fails its call alone, %o', async (options) => {
  const server = await serve(options);
  const connection = await connect(server);
  const { 'tools/call': echo } = server.results;
  server.results['tools/call'] = () => ({ content: [{ type: 'text', text: 'x'.repeat(100 * 1024 * 1024) }] });
  await expect(connection.callTool(call())).rejects.toMatchObject({
    kind: 'invalid',
    message: expect.stringMatching(/more than 32 MB/),
  });
  if (echo) server.results['tools/call'] = echo;
  expect((await connection.callTool(call())).content).toMatchObject([{ text: '{"a":1}' }]);
});

const ANSWERS: Record<string, Answer> = {
  'not JSON': (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":'),
  'not JSON-RPC': (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'),
  'a page': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
};

test.each(Object.keys(ANSWERS))('an answer that is %s is invalid', async (name) => {
  const server = await serve();
  const connection = await connect(server);
  server.answers['tools/call'] = ANSWERS[name];
  await expect(connection.callTool(call())).rejects.toMatchObject({ kind: 'invalid' });
});

test('a call that is cancelled is cancelled at the server, and its stream is closed', async () => {
  const server = await serve();
  const connection = await connect(server);
  const stop = new AbortController();
  const closed = new Promise((resolve) => {
    server.answers['tools/call'] = (_, response) => {
      response.writeHead(200, STREAM).write(': wait\n\n');
      response.on('close', resolve);
      stop.abort();
    };
  });
  await expect(connection.callTool(call({ signal: stop.signal }))).rejects.toMatchObject({ kind: 'cancelled' });
  await closed;
  expect(server.count('notifications/cancelled')).toBe(1);
});

test('a server of 2024-11-05 is reached by SSE, and its stream is the connection', async () => {
  const server = await serve();
  let stream: ServerResponse | undefined;
  server.answers.GET = (_, response) => {
    stream = response.writeHead(200, STREAM);
    response.write('event: endpoint\ndata: /messages?session=1\n\n');
  };
  server.answers['*'] = ({ id, method = '', params = {} }, response, request) => {
    if (request.url === '/mcp') {
      return void response.writeHead(405).end();
    }
    response.writeHead(202).end();
    if (id === undefined) return;
    if (method === 'tools/call' && params.name === 'leave') return void stream?.destroy();
    const result = server.results[method]?.(params);
    stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  };
  const connection = await connect(server);
  // Once to each address.
  expect(server.count('initialize')).toBe(2);
  expect((await connection.callTool(call())).content).toMatchObject([{ text: '{"a":1}' }]);
  await expect(connection.callTool(call({ tool: 'leave' }))).rejects.toMatchObject({ kind: 'lost' });
  expect(await connection.ended).toBe('The MCP server "web" closed the connection.');
});

test('a server of 2026-07-28 is found by negotiation, and needs no handshake', async () => {
  const server = await serve();
  makeModern(server);
  const revisions: string[] = [];
  const connection = await connect(server, {}, { onRevision: (revision) => revisions.push(revision) });
  expect(revisions).toEqual(['2026-07-28']);
  expect(await connection.listTools(never)).toMatchObject([{ name: 'echo' }]);
  expect((await connection.callTool(call())).content).toMatchObject([{ text: '{"a":1}' }]);
  expect(server.count('initialize')).toBe(0);
});

const FORM = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Who?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string', default: 'Ann' } } },
  },
};

test('questions of 2026-07-28 are answered inside one call, with the state of the server', async () => {
  const server = await serve();
  makeModern(server);
  server.results['tools/call'] = ({ inputResponses, requestState }) =>
    inputResponses === undefined
      ? {
          resultType: 'input_required',
          inputRequests: { who: FORM, where: { method: 'roots/list' } },
          requestState: 'st',
        }
      : { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify({ inputResponses, requestState }) }] };
  const connection = await connect(server, {}, { roots: () => ['/w'] });
  const elicit: McpToolRequest['elicit'] = async () => ({ action: 'accept', content: {} });
  const { content } = await connection.callTool(call({ elicit }));
  expect(JSON.parse(String(content[0]?.text))).toEqual({
    inputResponses: {
      who: { action: 'accept', content: { name: 'Ann' } },
      where: { roots: [{ uri: 'file:///w', name: 'w' }] },
    },
    requestState: 'st',
  });
});

test('a result of 2026-07-28 that does not say its type is a whole one, so that no output is lost', async () => {
  const server = await serve();
  makeModern(server);
  server.results['tools/call'] = () => ({ content: [{ type: 'text', text: 'done' }] });
  const connection = await connect(server);
  expect((await connection.callTool(call())).content).toMatchObject([{ text: 'done' }]);
});

test('a call whose headers do not fit the tool any longer is refused, and sent again after a new list', async () => {
  const server = await serve();
  makeModern(server);
  const region = { type: 'string', 'x-mcp-header': 'Region' };
  const schema = { type: 'object', properties: {} as Record<string, unknown> };
  server.results['tools/list'] = () => ({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    tools: [{ name: 'echo', inputSchema: schema }],
  });
  server.answers['tools/call'] = ({ id }, response, request) => {
    const fits = request.headers['mcp-param-region'] === 'eu';
    const result = { resultType: 'complete', content: [{ type: 'text', text: 'fits' }] };
    const answer = fits ? { result } : { error: { code: -32020, message: 'Header mismatch' } };
    const headers = { 'content-type': 'application/json' };
    response.writeHead(fits ? 200 : 400, headers).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  };
  const connection = await connect(server);
  await connection.listTools(never);
  schema.properties = { region };
  expect((await connection.callTool(call({ input: { region: 'eu' } }))).content).toMatchObject([{ text: 'fits' }]);
  expect(server.count('tools/call')).toBe(2);
});

test('a question that cannot be put to the user is cancelled', async () => {
  const server = await serve();
  makeModern(server);
  server.results['tools/call'] = ({ inputResponses }) =>
    inputResponses === undefined
      ? { resultType: 'input_required', inputRequests: { who: FORM } }
      : { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(inputResponses) }] };
  const connection = await connect(server);
  const elicit = () => Promise.reject(new Error('no terminal'));
  expect((await connection.callTool(call({ elicit }))).content).toMatchObject([
    { text: '{"who":{"action":"cancel"}}' },
  ]);
});

test('a server that asks forever is stopped after eight rounds', async () => {
  const server = await serve();
  makeModern(server);
  server.results['tools/call'] = () => ({
    resultType: 'input_required',
    inputRequests: { who: FORM },
    requestState: 's',
  });
  const connection = await connect(server);
  await expect(connection.callTool(call())).rejects.toMatchObject({
    kind: 'invalid',
    message: 'The MCP server "web" asked for input more than 8 times in one call.',
  });
  expect(server.count('tools/call')).toBe(9);
});

test('changes of the tools of 2026-07-28 arrive over a stream, which is opened again', async () => {
  const server = await serve();
  makeModern(server, { tools: { listChanged: true } });
  const meta = (id: unknown) => ({ _meta: { 'io.modelcontextprotocol/subscriptionId': id } });
  server.answers['subscriptions/listen'] = ({ id }, response) => {
    const acknowledged = { notifications: { toolsListChanged: true }, ...meta(id) };
    const send = (method: string, params: object) =>
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`);
    response.writeHead(200, STREAM);
    send('notifications/subscriptions/acknowledged', acknowledged);
    send('notifications/tools/list_changed', meta(id));
    if (server.count('subscriptions/listen') === 1) response.end();
  };
  await new Promise<void>((done) => {
    let changes = 0;
    // Two notifications, and one for the time without a stream.
    void connect(server, {}, { onToolsChanged: () => ++changes === 3 && done() });
  });
});
