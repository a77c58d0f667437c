import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

test('structured content is a value of its own in the item, and a long result is there as the model got it', async () => {
  const server = mcpTestServer();
  const word = 'w'.repeat(9000);
  const calls = [call('docs__sum', { a: 1, b: 2 }), call('docs__echo', { word })];
  const s = await scene([reply(...calls), reply(say('done'))]);
  const config = { mcp_servers: { docs: server.table }, sandbox_mode: 'read-only' };
  const { events } = await runOxbow(['exec', '--json', 'go'], { ...s, config });
  const results = items(events).flatMap((item) => ('result' in item ? [item.result] : []));
  expect(results).toHaveLength(2);
  expect(results).toContainEqual({ content: [{ type: 'text', text: '{"sum":3}' }], structured_content: { sum: 3 } });
  expect(results).toContainEqual({ content: [{ type: 'text', text: word }], structured_content: null });
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

const peers = process.env.OXBOW_MCP;
const serverOf = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [join(peers ?? '', `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  default_tools_approval_mode: 'approve',
});
const bareOutputs = (outputs: Map<string, string>) =>
  [...outputs.values()].map((text) => text.replace(/^Wall time: [\d.]+ seconds\nOutput:\n/, ''));

// Most machines do not have these servers. Without them no test counts as skipped.
if (peers !== undefined) {
  test('the server everything of others is used in a scripted turn', async () => {
    const s = await scene([
      reply(call('all__echo', { message: 'hi' }), call('all__get-sum', { a: 2, b: 3 })),
      reply(call('all__get-tiny-image', {}), call('list_mcp_resources', { server: 'all' })),
      reply(call('all__trigger-long-running-operation', { duration: 1, steps: 2 })),
      reply(say('done')),
    ]);
    const config = { mcp_startup_grace_ms: 30_000, mcp_servers: { all: serverOf('everything') } };
    const { code, stderr } = await runOxbow(['exec', 'go'], { ...s, config });
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') });
    expect(bareOutputs(s.outputs(1))).toEqual(['Echo: hi', expect.stringContaining('5')]);
    const image = s.model.requests[2]?.body.input?.find(
      (item) => item.type === 'function_call_output' && Array.isArray(item.output),
    );
    expect(JSON.stringify(image)).toContain('data:image/png;base64,');
    expect(bareOutputs(s.outputs(2))[3]).toContain('"server":"all"');
    expect([...bareOutputs(s.outputs(3))].at(-1)).toMatch(/completed/);
  }, 60_000);

  test('the server filesystem of others is used in a scripted turn', async () => {
    const s = await scene([]);
    const file = join(s.workspace.path, 'a.txt');
    writeFileSync(file, 'the text');
    const other = await scene([
      reply(call('files__read_text_file', { path: file }), call('files__read_text_file', { path: '/etc/passwd' })),
      reply(call('files__write_file', { path: join(s.workspace.path, 'b.txt'), content: 'new' })),
      reply(say('done')),
    ]);
    const config = { mcp_startup_grace_ms: 30_000, mcp_servers: { files: serverOf('filesystem', s.workspace.path) } };
    const { code } = await runOxbow(['exec', 'go'], { ...other, config, cwd: s.workspace.path });
    expect(code).toBe(0);
    const [read, refused] = bareOutputs(other.outputs(1));
    expect(read).toContain('the text');
    expect(refused).toMatch(/denied/i);
    expect(s.workspace.read('b.txt')).toBe('new');
  }, 60_000);

  test('the server memory of others is used in a scripted turn', async () => {
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }];
    const s = await scene([
      reply(call('memory__create_entities', { entities })),
      reply(call('memory__search_nodes', { query: 'Ada' })),
      reply(say('done')),
    ]);
    const path = join(s.workspace.home, 'memory.jsonl');
    const config = {
      mcp_startup_grace_ms: 30_000,
      mcp_servers: { memory: { ...serverOf('memory'), env: { MEMORY_FILE_PATH: path } } },
    };
    const { code } = await runOxbow(['exec', 'go'], { ...s, config });
    expect(code).toBe(0);
    expect(bareOutputs(s.outputs(2))[1]).toContain('writes programs');
    expect(processesWith(path)).toEqual([]);
  }, 60_000);
}
