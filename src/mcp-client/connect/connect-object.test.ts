import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import type { McpObjectServer } from '../../base/mcp-server-config.ts';
import { connectServer } from './connect-server.ts';

const never = new AbortController().signal;

const config = (server: McpObjectServer['server']): McpObjectServer => ({
  type: 'object',
  name: 'inner',
  server,
  enabled: true,
  required: false,
  startupTimeoutMs: 20_000,
  toolTimeoutMs: 20_000,
  enabledTools: null,
  disabledTools: [],
  parallelCalls: false,
  approval: 'auto',
  toolApprovals: {},
});

const connect = (server: McpObjectServer['server']) =>
  connectServer({
    config: config(server),
    start: () => Promise.reject(new Error('not a program')),
    env: {},
    clientInfo: { name: 'oxbow', version: '0' },
    onRevision() {},
    roots: () => [],
    onToolsChanged() {},
    onLog() {},
    signal: never,
  });

test('a server of the SDK is used in this process', async () => {
  const server = new McpServer({ name: 'inner', version: '1' });
  server.registerTool('greet', { description: 'Greets.' }, async () => ({
    content: [{ type: 'text', text: 'hello' }],
  }));
  const connection = await connect(server);
  expect(connection.server.name).toBe('inner');
  expect(await connection.listTools(never)).toMatchObject([{ name: 'greet', description: 'Greets.' }]);
  const call = {
    tool: 'greet',
    input: {},
    timeoutMs: 5000,
    maxTotalMs: 5000,
    meta: {},
    signal: never,
    onProgress() {},
  };
  expect((await connection.callTool(call)).content).toEqual([{ type: 'text', text: 'hello' }]);
  await server.close();
  expect(await connection.ended).toBe('The MCP server "inner" closed the connection.');
});

test('an object that cannot be connected is a sentence', async () => {
  const broken = { connect: () => Promise.reject(new Error('already connected')) };
  await expect(connect(broken)).rejects.toMatchObject({
    kind: 'start',
    message: 'The MCP server "inner" did not start as an MCP server: already connected',
  });
});
