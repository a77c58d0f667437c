import { expect, test } from 'vitest';
import { createWorkspace } from '../../../src/testing/index.ts';
import { mcpTestServer } from '../../harness/mcp-notes.ts';
import { processesWith } from '../../harness/processes.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

interface DoctorRow {
  readonly id: string;
  readonly status: string;
  readonly what: string;
  readonly fix: string | null;
  readonly mcp?: object;
}

async function doctor(servers: Readonly<Record<string, object>>) {
  const s = await scene([]);
  const { code, stdout } = await runOxbow(['doctor', '--json'], { ...s, config: { mcp_servers: servers } });
  const rows = JSON.parse(stdout) as DoctorRow[];
  return { code, requests: s.model.requests, rows: new Map(rows.map((row) => [row.id, row])) };
}

test('doctor says of each MCP server what a turn would find, and leaves no process', async () => {
  const server = mcpTestServer();
  const { rows, code, requests } = await doctor({
    docs: server.table,
    gone: { command: '/nowhere/server' },
    off: { command: '/nowhere/other', enabled: false },
    web: { url: 'http://me:secret-1@127.0.0.1:9/mcp' },
  });
  expect(rows.get('mcp_servers.docs')).toMatchObject({
    status: 'ok',
    what: expect.stringMatching(/: \d+ tools$/),
    fix: null,
    mcp: { server: 'docs', state: 'ready', transport: 'stdio', tools: expect.any(Number), auth: 'unsupported' },
  });
  expect(rows.get('mcp_servers.gone')).toMatchObject({
    status: 'warn',
    what: expect.stringContaining('The MCP server "gone"'),
    fix: 'try it alone: oxbow mcp tools gone',
    mcp: { state: 'failed', tools: null },
  });
  expect(rows.get('mcp_servers.off')).toMatchObject({ status: 'ok', what: '/nowhere/other: disabled' });
  expect(rows.get('mcp_servers.web')).toMatchObject({
    status: 'warn',
    mcp: { state: 'failed', transport: 'streamable_http', auth: 'not_logged_in' },
  });
  expect(JSON.stringify([...rows.values()])).not.toContain('secret-1');
  expect(code).toBe(0);
  expect(requests).toHaveLength(0);
  expect(server.starts()).toHaveLength(1);
  expect(processesWith(server.folder)).toEqual([]);
});

test('a server that threads require and that does not start is a failure', async () => {
  const { rows, code } = await doctor({ gone: { command: '/nowhere/server', required: true } });
  expect(rows.get('mcp_servers.gone')?.status).toBe('fail');
  expect(code).toBe(1);
});

test('servers that hang are waited for at the same time, and not forever', async () => {
  const hangs = { command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000); "doctor-hangs"'] };
  const names = ['a', 'b', 'c'];
  const servers = Object.fromEntries(names.map((name) => [name, { ...hangs, startup_timeout_sec: 1 }]));
  const { rows } = await doctor({ ...servers, slow: { ...hangs, startup_timeout_sec: 60 } });
  for (const name of names)
    expect(rows.get(`mcp_servers.${name}`)).toMatchObject({ status: 'warn', mcp: { state: 'failed' } });
  expect(rows.get('mcp_servers.slow')).toMatchObject({
    status: 'warn',
    what: `${process.execPath}: not ready after 10 s`,
    mcp: { state: 'slow' },
  });
  expect(processesWith('doctor-hangs')).toEqual([]);
});

test('without servers there is no row about them', async () => {
  const workspace = createWorkspace();
  const { stdout } = await runOxbow(['doctor', '--json'], { workspace });
  expect(stdout).not.toContain('mcp_servers');
  workspace.dispose();
});
