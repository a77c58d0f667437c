import { expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { mcpTestServer } from '../../harness/mcp-notes.ts';
import { processesWith } from '../../harness/processes.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const items = (events: readonly { readonly type: string }[], type = 'item.completed') =>
  events.filter((event) => event.type === type).map((event) => (event as unknown as { item: object }).item);

test('exec calls a tool of a server and prints the item of Codex', async () => {
  const server = mcpTestServer();
  const s = await scene([reply(call('docs__echo', { word: 'hello' })), reply(say('done'))]);
  const { events, code, stderr } = await runOxbow(['exec', '--json', 'go'], {
    ...s,
    config: { mcp_servers: { docs: server.table }, sandbox_mode: 'read-only' },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const names = s.model.requests[0]?.body.tools?.map((tool) => ('name' in tool ? tool.name : ''));
  expect(names).toEqual(expect.arrayContaining(['docs__echo', 'docs__effect', 'list_mcp_resources']));
  expect(s.outputs(1).get('call_1')).toMatch(/^Wall time: \d+\.\d{4} seconds\nOutput:\nhello$/);
  const shared = { id: 'item_0', type: 'mcp_tool_call', server: 'docs', tool: 'echo', arguments: { word: 'hello' } };
  expect(items(events, 'item.started')).toContainEqual({
    ...shared,
    result: null,
    error: null,
    status: 'in_progress',
  });
  expect(items(events)).toContainEqual({
    ...shared,
    result: { content: [{ type: 'text', text: 'hello' }], structured_content: null },
    error: null,
    status: 'completed',
  });
  expect(server.starts()).toHaveLength(1);
  expect(processesWith(server.folder)).toEqual([]);
});

test('a call that needs approval is refused where nobody can be asked, and shown as failed', async () => {
  const server = mcpTestServer();
  const s = await scene([reply(call('docs__effect', {})), reply(say('done'))]);
  const { events } = await runOxbow(['exec', '--json', 'go'], {
    ...s,
    config: { mcp_servers: { docs: server.table }, sandbox_mode: 'read-only', approval_policy: 'never' },
  });
  const message = 'MCP tool call requires approval, but approval policy is never';
  expect(s.outputs(1).get('call_1')).toBe(message);
  expect(items(events)).toContainEqual(
    expect.objectContaining({
      type: 'mcp_tool_call',
      tool: 'effect',
      result: null,
      error: { message },
      status: 'failed',
    }),
  );
  expect(server.effects()).toBe(0);
});

test('approval_mode = "approve" lets a tool run without a question', async () => {
  const server = mcpTestServer(0, { tools: { effect: { approval_mode: 'approve' } } });
  const s = await scene([reply(call('docs__effect', {})), reply(say('done'))]);
  await runOxbow(['exec', 'go'], {
    ...s,
    config: { mcp_servers: { docs: server.table }, sandbox_mode: 'read-only', approval_policy: 'never' },
  });
  expect(s.outputs(1).get('call_1')).toMatch(/done$/);
  expect(server.effects()).toBe(1);
});

test('exec prints a call with its arguments, and why it failed', async () => {
  const server = mcpTestServer();
  const s = await scene([reply(call('docs__echo', { word: 'hello' }), call('docs__wrong', {})), reply(say('done'))]);
  const { stderr } = await runOxbow(['exec', 'go'], { ...s, config: { mcp_servers: { docs: server.table } } });
  expect(stderr).toContain('mcp docs.echo {"word":"hello"}\n');
  expect(stderr).toContain('docs__wrong failed: It did not work.\n');
});

test('a server that cannot be started is a sentence, and the turn goes on without it', async () => {
  const s = await scene([reply(say('done'))]);
  const { events, code } = await runOxbow(['exec', '--json', 'go'], {
    ...s,
    config: { mcp_servers: { gone: { command: '/nowhere/server' } } },
  });
  expect(code).toBe(0);
  const errors = items(events).filter((item) => 'type' in item && item.type === 'error');
  expect(errors).toHaveLength(1);
  expect(JSON.stringify(errors)).toContain('The MCP server \\"gone\\"');
});

test('a server that is required stops the run with a sentence', async () => {
  const s = await scene([]);
  const { code, stderr } = await runOxbow(['exec', 'go'], {
    ...s,
    config: { mcp_servers: { gone: { command: '/nowhere/server', required: true } } },
  });
  expect(code).toBe(1);
  expect(stderr).toContain('The MCP server "gone" is required: ');
  expect(s.model.requests).toHaveLength(0);
});

test('a killed run leaves no server', async () => {
  const server = mcpTestServer();
  const s = await scene([reply(call('exec_command', { cmd: 'sleep 30' })), reply(say('done'))]);
  const program = await startOxbow(['exec', 'go'], { ...s, config: { mcp_servers: { docs: server.table } } });
  await expect.poll(() => s.model.requests.length, { timeout: 20_000 }).toBe(1);
  expect(server.starts()).toHaveLength(1);
  process.kill(program.pid, 'SIGKILL');
  await program.wait();
  await expect.poll(() => processesWith(server.folder), { timeout: 10_000 }).toEqual([]);
});
