import { expect, test } from 'vitest';
import { call, customCall, reply, say } from '../../../../src/testing/index.ts';
import { runOxbow } from '../../../harness/run-oxbow.ts';
import { scene } from '../../../harness/scene.ts';
import { patch } from './patch-scene.ts';

const PATCH = patch('*** Update File: a.txt\n one\n-two\n+zwei', '*** Add File: deep/b.txt\n+new');
const FILES = { 'a.txt': 'one\ntwo\n' };

const steps = () => [
  reply(customCall('apply_patch', PATCH)),
  reply(call('exec_command', { cmd: `apply_patch <<'EOF'\n${patch('*** Delete File: deep/b.txt')}\nEOF` })),
  reply(customCall('apply_patch', PATCH)),
  reply(customCall('apply_patch', patch('*** Add File: /etc/oxbow-test\n+x'))),
  reply(say('done')),
];

const config = { sandbox_mode: 'workspace-write' };

test('patches are file changes in JSON, and a patch that could not be planned is not', async () => {
  const s = await scene(steps(), FILES);
  const { code, events } = await runOxbow(['exec', '--json', 'go'], { ...s, config });
  expect(code).toBe(0);
  const at = (name: string) => s.workspace.file(name);
  const both = [
    { path: at('a.txt'), kind: 'update' },
    { path: at('deep/b.txt'), kind: 'add' },
  ];
  // A notice about a repository below /tmp is an item too.
  const first = events.filter((event) => event.type === 'item.completed' && event.item?.type === 'error').length;
  const item = (n: number, changes: object[], status: string) => ({
    id: `item_${first + n}`,
    type: 'file_change',
    changes,
    status,
  });
  const removed = [{ path: at('deep/b.txt'), kind: 'delete' }];
  expect(events.filter((event) => event.item?.type === 'file_change')).toEqual([
    { type: 'item.started', item: item(0, both, 'in_progress') },
    { type: 'item.completed', item: item(0, both, 'completed') },
    { type: 'item.started', item: item(1, removed, 'in_progress') },
    { type: 'item.completed', item: item(1, removed, 'completed') },
    { type: 'item.completed', item: item(2, [{ path: '/etc/oxbow-test', kind: 'add' }], 'failed') },
  ]);
  expect(events.some((event) => event.item?.type === 'command_execution')).toBe(false);
});

test('the output for people has each file and its changes', async () => {
  const s = await scene(steps(), FILES);
  const { stderr } = await runOxbow(['exec', 'go'], { ...s, config });
  expect(stderr).toContain('M a.txt +1 -1\n  @@ -1,2 +1,2 @@\n   one\n  -two\n  +zwei\nA deep/b.txt +1 -0\n');
  expect(stderr).toContain('D deep/b.txt +0 -1\n');
  expect(stderr).toContain('apply_patch failed: ');
  expect(stderr).toContain(
    '/etc/oxbow-test (not applied)\n  @@ -0,0 +1 @@\n  +x\n  not applied: the sandbox allows writing only to ',
  );
  const colored = await runOxbow(['exec', '--color', 'always', 'go'], { ...(await scene(steps(), FILES)), config });
  expect(colored.stderr).toContain('\u001b[32m  +zwei\u001b[39m');
});
