import { expect, test } from 'vitest';
import { call, customCall, fault, reply, say, think } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n';

test('the header has model, effort, approvals, sandbox with folders and network, and the thread', async () => {
  const s = await scene([reply(say('one')), reply(say('two')), reply(say('three'))]);
  const config = { sandbox_mode: 'workspace-write', model_reasoning_effort: 'high' };
  const { stderr } = await runOxbow(['exec', '--add-dir', s.workspace.home, 'go'], { ...s, config });
  const [, ...rows] = stderr.split('\n');
  expect(rows.slice(0, 4)).toEqual([
    `workdir: ${s.workspace.path}`,
    'model: scripted (Scripted)',
    'reasoning effort: high',
    'approval: never',
  ]);
  expect(rows[4]).toMatch(/^sandbox: workspace-write \[workdir, .*\] \(no network\)$/);
  expect(rows[4]).toContain(s.workspace.home);
  expect(rows[5]).toMatch(/^session id: [0-9a-f-]{36}$/);
  const open = await runOxbow(['exec', '-c', 'sandbox_workspace_write.network_access=true', 'go'], { ...s, config });
  expect(open.stderr).toMatch(/^sandbox: workspace-write \[.*\] \(network access enabled\)$/m);
  const plain = await runOxbow(['exec', '-s', 'read-only', 'go'], s);
  expect(plain.stderr).toContain('\nreasoning effort: default\napproval: never\nsandbox: read-only (no network)\n');
});

test('the end has files, commands, failures, refusals, retries, tokens and how to go on', async () => {
  const s = await scene([
    fault.status(500, { error: { message: 'busy' } }),
    reply(
      customCall('apply_patch', PATCH),
      customCall('apply_patch', PATCH.replace('a.txt', '/etc/oxbow-test')),
      call('exec_command', { cmd: 'true' }),
      call('exec_command', { cmd: 'exit 3' }),
    ),
    reply(say('done')),
    reply(say('again')),
  ]);
  const config = { sandbox_mode: 'workspace-write' };
  const first = await runOxbow(['exec', 'go'], { ...s, config });
  const [, id = ''] = /session id: (\S+)/.exec(first.stderr) ?? [];
  expect(first.stderr).toMatch(
    /\n1 file changed by patches, 2 commands, 1 failed, 1 refused, 1 retry\ntokens used: \d+, .*\n.*\n$/,
  );
  expect(first.stderr).toContain(`\nTo go on: oxbow exec resume ${id}\n`);
  const second = await runOxbow(['exec', 'resume', id, 'go on'], { ...s, config });
  expect(second.stdout).toBe('again\n');
  expect(second.stderr).not.toContain('commands');
});

test('a thread that is not kept cannot be resumed', async () => {
  const s = await scene([reply(say('done'))]);
  expect((await runOxbow(['exec', '--ephemeral', 'go'], s)).stderr).not.toContain('To go on');
});

test.each([[[say(' \n')]], [[think('Hm.')]]])('an empty answer says so: %j', async (parts) => {
  const s = await scene([reply(...parts), reply(...parts)]);
  const { code, stderr } = await runOxbow(['exec', 'go'], s);
  expect(code).toBe(0);
  expect(stderr).toContain('\nwarning: the model gave no final answer\n');
  const json = await runOxbow(['exec', '--json', 'go'], s);
  expect(json.stderr).toBe('');
});
