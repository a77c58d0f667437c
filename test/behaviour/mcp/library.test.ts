import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { mcpTestServer } from '../../harness/mcp-notes.ts';

test('a server object of this process is used, next to a table', async () => {
  const server = mcpTestServer();
  const shop = new McpServer({ name: 'shop', version: '1.0.0' });
  shop.registerTool('stock', { description: 'Returns the stock.', annotations: { readOnlyHint: true } }, async () => ({
    content: [{ type: 'text', text: '12 left' }],
  }));
  const s = await libraryScene(
    [reply(call('shop__stock', {}), call('docs__echo', { word: 'x' })), reply(say('done'))],
    {},
    { mcpServers: { shop, docs: { command: String(server.table.command), args: server.table.args as string[] } } },
  );
  expect(await s.agent.mcp.states()).toEqual([
    { server: 'docs', status: 'stopped', tools: 0, message: null },
    { server: 'shop', status: 'stopped', tools: 0, message: null },
  ]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  const outputs = [...s.outputs(1).values()];
  expect(outputs[0]).toMatch(/\n12 left$/);
  expect(outputs[1]).toMatch(/\nx$/);
  expect(await s.agent.mcp.states()).toMatchObject([
    { status: 'ready', tools: 14 },
    { status: 'ready', tools: 1 },
  ]);
  await s.agent.close();
  await expect(s.agent.mcp.states()).rejects.toThrow(/closed/);
});

test('a program reads the prompts of servers', async () => {
  const server = mcpTestServer();
  const s = await libraryScene([], { mcp_servers: { docs: server.table, gone: { command: '/nowhere/server' } } });
  expect(await s.agent.mcp.prompts()).toEqual([
    {
      server: 'docs',
      name: 'greet',
      title: null,
      description: '',
      arguments: [{ name: 'who', description: '', required: true }],
    },
  ]);
  expect(await s.agent.mcp.prompt('docs', 'greet', { who: 'Ada' })).toEqual([
    { role: 'user', content: { type: 'text', text: 'Greet Ada.' } },
  ]);
  await expect(s.agent.mcp.prompt('nobody', 'greet')).rejects.toThrow('There is no MCP server "nobody".');
  await expect(s.agent.mcp.prompt('gone', 'greet')).rejects.toMatchObject({ code: 'unavailable' });
  await s.agent.close();
});

test('a resumed thread works with the servers of its agent', async () => {
  const server = mcpTestServer();
  const echo = reply(call('docs__echo', { word: 'x' }));
  const s = await libraryScene([echo, reply(say('one')), echo, reply(say('two'))], {
    mcp_servers: { docs: server.table },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  const again = await s.agent.resumeThread(thread.id, s.threadOptions());
  expect((await again.run('go on')).finalResponse).toBe('two');
  expect(server.starts()).toHaveLength(1);
  await s.agent.close();
});
