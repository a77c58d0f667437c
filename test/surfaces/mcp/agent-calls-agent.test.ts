import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, reply, say, startScriptedModel } from '../../../src/testing/index.ts';
import { processesWith } from '../../harness/processes.ts';
import { PROGRAM, runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { scriptedConfig } from '../../harness/scripted-config.ts';

test('an agent calls another one over MCP, and continues its thread', async () => {
  const inner = await startScriptedModel([
    reply(call('exec_command', { cmd: 'echo from the inner agent' })),
    reply(say('The inner agent is done.')),
    reply(say('It still knows the thread.')),
  ]);
  const s = await scene((request, n) => {
    if (n === 1) return reply(call('inner__codex', { prompt: 'look around' }));
    if (n === 3) return reply(say('Both are done.'));
    const [, id] = /"threadId":\s*"([^"]+)"/.exec(JSON.stringify(request.body).replaceAll('\\', '')) ?? [];
    return reply(call('inner__codex-reply', { prompt: 'and now?', threadId: id }));
  });
  const home = join(s.workspace.home, 'inner');
  mkdirSync(home);
  writeFileSync(join(home, 'config.toml'), scriptedConfig(inner.url));
  const server = {
    command: PROGRAM,
    args: ['mcp-server'],
    env: { OXBOW_HOME: home, SCRIPTED_KEY: 'x' },
    default_tools_approval_mode: 'approve',
  };
  const { code, stdout } = await runOxbow(['exec', 'ask the other one'], {
    ...s,
    config: { mcp_servers: { inner: server } },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Both are done.\n' });
  expect([...s.outputs(2).values()].at(-1)).toContain('It still knows the thread.');
  expect(inner.requests).toHaveLength(3);
  expect(JSON.stringify(inner.requests[2]?.body)).toContain('from the inner agent');
  expect(processesWith(home)).toEqual([]);
  await inner.close();
});
