import { expect, test } from 'vitest';
import type { Event } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { mcpTestServer } from '../../harness/mcp-notes.ts';
import { processesWith } from '../../harness/processes.ts';

const offered = (s: LibraryScene, n: number) =>
  (s.model.requests[n]?.body.tools ?? []).map((spec) => ('name' in spec ? String(spec.name) : spec.type));
const states = (events: readonly Event[], server: string) =>
  events.flatMap((event) => (event.type === 'mcp.state' && event.server === server ? [event.status] : []));
const output = (s: LibraryScene, n: number, id = 'call_1') =>
  s
    .outputs(n)
    .get(id)
    ?.replace(/^Wall time: [\d.]+ seconds\nOutput:\n/, '');
const prefixCauses = (s: LibraryScene) =>
  s
    .rollout()
    .flatMap((line) => (line.type === 'oxbow' && line.payload.kind === 'prefix.changed' ? [line.payload.cause] : []));

test('fifty threads of an agent share one process of each server, and none is left after the close', async () => {
  const [one, two] = [mcpTestServer(), mcpTestServer()];
  const script = Array.from({ length: 50 }, () => reply(say('done')));
  const s = await libraryScene(script, { mcp_servers: { one: one.table, two: two.table } });
  const threads = await Promise.all(Array.from({ length: 50 }, () => s.agent.startThread({ ephemeral: true })));
  await Promise.all(threads.map((thread) => thread.run('go')));
  for (const server of [one, two]) {
    expect(server.starts()).toHaveLength(1);
    expect(processesWith(server.folder).filter((pid) => server.starts().includes(pid))).toHaveLength(1);
  }
  await s.agent.close();
  for (const { folder } of [one, two]) expect(processesWith(folder)).toEqual([]);
});

test('servers start with the first thread, not with the agent', async () => {
  const server = mcpTestServer();
  const s = await libraryScene([], { mcp_servers: { docs: server.table } });
  await new Promise((done) => setTimeout(done, 300));
  expect(server.starts()).toEqual([]);
  await s.agent.close();
});

test('no request waits for a slow server with a grace of 0, and closing does not wait for it either', async () => {
  const server = mcpTestServer(20_000);
  const s = await libraryScene([reply(say('done'))], { mcp_startup_grace_ms: 0, mcp_servers: { slow: server.table } });
  const startedAt = performance.now();
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await s.agent.close();
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(offered(s, 0).filter((name) => name.startsWith('slow__'))).toEqual([]);
  expect(states(s.events, 'slow')).toEqual(['stopped', 'starting']);
  expect(processesWith(server.folder)).toEqual([]);
});

test('the tools of a late server join at the next request, after the others, as a logged change', async () => {
  const [late, soon] = [mcpTestServer(1500), mcpTestServer()];
  const s = await libraryScene([reply(say('one')), reply(call('late__echo', { word: 'x' })), reply(say('two'))], {
    mcp_startup_grace_ms: 0,
    mcp_servers: { late: late.table, soon: { ...soon.table, required: true } },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await expect.poll(() => states(s.events, 'late'), { timeout: 20_000 }).toContain('ready');
  await thread.run('again');
  const [first, second] = [offered(s, 0), offered(s, 1)];
  expect(first).toContain('soon__echo');
  expect(first).not.toContain('late__echo');
  expect(second.slice(0, first.length)).toEqual(first);
  expect(second.slice(first.length)).toContain('late__echo');
  expect(output(s, 2)).toBe('x');
  expect(prefixCauses(s)).toEqual(['start', 'tools']);
  await s.agent.close();
});

test('a call that may have had an effect is not sent again when its server dies, and the server is restarted', async () => {
  const server = mcpTestServer(0, { default_tools_approval_mode: 'approve' });
  const s = await libraryScene(
    [reply(call('docs__effect_and_die', {})), reply(call('docs__echo', { word: 'back' })), reply(say('done'))],
    { mcp_servers: { docs: server.table } },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  expect(output(s, 1)).toMatch(/^tool call error: .*The outcome of the call is unknown: .*It was not called again\./);
  expect(output(s, 2, 'call_2')).toBe('back');
  expect(server.effects()).toBe(1);
  expect(server.starts()).toHaveLength(2);
  expect(states(s.events, 'docs').slice(-2)).toEqual(['restarting', 'ready']);
  expect(offered(s, 1)).toEqual(offered(s, 0));
  await s.agent.close();
  expect(processesWith(server.folder)).toEqual([]);
});

test('a call that only reads is sent once more when its server dies', async () => {
  const server = mcpTestServer();
  const s = await libraryScene([reply(call('docs__read_and_die_once', {})), reply(say('done'))], {
    mcp_servers: { docs: server.table },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  expect(output(s, 1)).toBe('alive again');
  expect(server.starts()).toHaveLength(2);
  await s.agent.close();
});

test('a server that keeps dying is given up, and its tools go', async () => {
  const server = mcpTestServer(0, { default_tools_approval_mode: 'approve' });
  const die = reply(call('docs__effect_and_die', {}));
  const s = await libraryScene([die, die, die, die, die, die, reply(call('docs__effect', {})), reply(say('done'))], {
    mcp_servers: { docs: server.table },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  expect(offered(s, 5)).toContain('docs__effect');
  expect(offered(s, 7)).not.toContain('docs__effect');
  expect(server.effects()).toBe(6);
  expect(server.starts()).toHaveLength(6);
  await expect.poll(() => states(s.events, 'docs').at(-1)).toBe('failed');
  expect(s.events).toContainEqual(
    expect.objectContaining({
      type: 'warning',
      code: 'mcp',
      message: expect.stringMatching(/It has been restarted 5 times and is given up\.$/),
    }),
  );
  await s.agent.close();
});

test('new tools of a server join at the next request', async () => {
  const server = mcpTestServer();
  const s = await libraryScene([reply(call('docs__grow', {})), reply(call('docs__grown', {})), reply(say('done'))], {
    mcp_servers: { docs: server.table },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  expect(offered(s, 0)).not.toContain('docs__grown');
  expect(offered(s, 1)).toContain('docs__grown');
  expect(output(s, 2, 'call_2')).toBe('grown up');
  expect(prefixCauses(s)).toEqual(['start', 'tools']);
  await s.agent.close();
});

test('enabled_tools and disabled_tools choose the tools that are offered', async () => {
  const server = mcpTestServer(0, { enabled_tools: ['echo', 'sum'], disabled_tools: ['sum'] });
  const s = await libraryScene([reply(call('docs__sum', { a: 1, b: 2 })), reply(say('done'))], {
    mcp_servers: { docs: server.table },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  expect(offered(s, 0).filter((name) => name.startsWith('docs__'))).toEqual(['docs__echo']);
  expect(output(s, 1)).toBe('unsupported call: docs__sum');
  await s.agent.close();
});

test('lines of the log of a server, and noise on its output, are events from the level warning on', async () => {
  const server = mcpTestServer();
  const s = await libraryScene([reply(call('docs__complain', {})), reply(say('done'))], {
    mcp_servers: { docs: server.table },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  expect(output(s, 1)).toBe('said');
  expect(s.events.filter(({ type }) => type === 'mcp.log')).toMatchObject([
    {
      server: 'docs',
      level: 'warning',
      message: expect.stringMatching(/not messages.* The first: this is no message$/),
    },
    { server: 'docs', level: 'warning', message: 'an warning' },
    { server: 'docs', level: 'error', message: 'an error' },
  ]);
  await s.agent.close();
});

test('a server that exits at its start is a warning with the last lines of its error output', async () => {
  const script = 'console.error("no token in FOO_TOKEN"); process.exit(3)';
  const s = await libraryScene([reply(say('done'))], {
    mcp_servers: { docs: { command: process.execPath, args: ['-e', script] } },
  });
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  expect(s.events).toContainEqual(
    expect.objectContaining({
      type: 'warning',
      message: expect.stringMatching(/exited with code 3 while it started\. Its last words: no token in FOO_TOKEN$/),
    }),
  );
  await s.agent.close();
});
