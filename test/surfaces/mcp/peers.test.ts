import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, createWorkspace, reply, say } from '../../../src/testing/index.ts';
import { processesWith } from '../../harness/processes.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const { OXBOW_MCP } = process.env;

const table = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [join(OXBOW_MCP ?? '', `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});

describe.skipIf(OXBOW_MCP === undefined)('servers of others', () => {
  test('oxbow mcp lists and calls the tools of everything', async () => {
    const { workspace } = await scene([]);
    const { command, args } = table('everything');
    const mcp = (...words: string[]) => runOxbow(['mcp', ...words], { workspace });
    expect((await mcp('add', 'all', '--', command, ...args)).code).toBe(0);
    const listed = JSON.parse((await mcp('tools', 'all', '--json')).stdout) as { name: string; enabled: boolean }[];
    expect(listed).toContainEqual(expect.objectContaining({ name: 'echo', enabled: true }));
    expect(await mcp('call', 'all', 'echo', '{"message":"hi"}')).toMatchObject({ code: 0, stdout: 'Echo: hi\n' });
    const wrong = await mcp('call', 'all', 'echo', '{}');
    expect({ code: wrong.code, told: `${wrong.stdout}${wrong.stderr}` }).toEqual({
      code: 1,
      told: expect.stringContaining('message'),
    });
    const long = await mcp('call', 'all', 'trigger-long-running-operation', '{"duration":1,"steps":2}');
    expect(long).toMatchObject({ code: 0, stdout: expect.stringContaining('completed') });
    const image = await mcp('call', 'all', 'get-tiny-image', '{}', '--json');
    expect(JSON.parse(image.stdout).content).toContainEqual(expect.objectContaining({ type: 'image' }));
    expect(processesWith(args[0] ?? '')).toEqual([]);
  }, 60_000);

  test('structured content and a resource of everything reach the model', async () => {
    const s = await scene([
      reply(call('all__get-structured-content', { location: 'Chicago' })),
      reply(call('list_mcp_resources', {})),
      reply(call('read_mcp_resource', { server: 'all', uri: 'demo://resource/dynamic/text/1' })),
      reply(say('done')),
    ]);
    const all = { ...table('everything'), default_tools_approval_mode: 'approve' };
    const config = { mcp_startup_grace_ms: 30_000, mcp_servers: { all } };
    const { code, stdout } = await runOxbow(['exec', 'go'], { ...s, config });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' });
    expect([...s.outputs(1).values()].at(-1)).toContain('"temperature":');
    expect([...s.outputs(3).values()].at(-1)).toContain('demo://resource/dynamic/text/1');
  }, 60_000);

  test('oxbow doctor finds them, and filesystem refuses paths outside its root', async () => {
    const workspace = createWorkspace({ 'a.txt': 'the text' });
    const memory = { ...table('memory'), env: { MEMORY_FILE_PATH: join(workspace.home, 'memory.jsonl') } };
    const config = { mcp_servers: { files: table('filesystem', workspace.path), memory } };
    const s = { ...(await scene([])), workspace };
    const { stdout } = await runOxbow(['doctor', '--json'], { ...s, config });
    const rows = (JSON.parse(stdout) as { id: string; mcp?: { state: string } }[]).filter(
      ({ mcp }) => mcp !== undefined,
    );
    expect(rows.map(({ id, mcp }) => [id, mcp?.state])).toEqual([
      ['mcp_servers.files', 'ready'],
      ['mcp_servers.memory', 'ready'],
    ]);
    const read = (path: string) =>
      runOxbow(['mcp', 'call', 'files', 'read_text_file', JSON.stringify({ path })], { workspace });
    expect(await read(join(workspace.path, 'a.txt'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the text'),
    });
    expect((await read('/etc/passwd')).code).toBe(1);
    workspace.dispose();
  }, 60_000);
});
