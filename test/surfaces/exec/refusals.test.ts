import { expect, test } from 'vitest';
import { call, customCall, type ReplyPart, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import type { ConfigTable } from '../../harness/scripted-config.ts';

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n';
const NO_MODE = { sandbox_mode: undefined };
const TRUST = 'allow writing with -s workspace-write or oxbow trust';

async function shown(parts: readonly ReplyPart[], args: readonly string[] = [], config: ConfigTable = NO_MODE) {
  const s = await scene([reply(...parts), reply(say('done'))]);
  return (await runOxbow(['exec', ...args, 'go'], { ...s, config })).stderr;
}

test('a refused patch says why and what to do, and does not look applied', async () => {
  const stderr = await shown([customCall('apply_patch', PATCH)]);
  expect(stderr).toContain(`\na.txt (not applied)\n`);
  expect(stderr).toContain(`\n  not applied: the sandbox is read-only; ${TRUST}\n`);
  expect(stderr).not.toContain('A a.txt');
});

test.each([
  ['-s', ['-s', 'read-only'], NO_MODE],
  ['-c', ['-c', 'sandbox_mode="read-only"'], NO_MODE],
  ['the configuration', [], { sandbox_mode: 'read-only' }],
])('trust is not advised where %s makes the sandbox read-only', async (_, args, config) => {
  const stderr = await shown([customCall('apply_patch', PATCH)], args, config);
  expect(stderr).toContain('\n  not applied: the sandbox is read-only; allow writing with -s workspace-write\n');
});

test('a command that the sandbox made fail says so', async () => {
  expect(await shown([call('exec_command', { cmd: 'touch a.txt' })])).toMatch(
    new RegExp(`\n  exit 1 in .*: perhaps the sandbox is read-only; ${TRUST}\n`),
  );
  const offline = 'echo "Could not resolve host: example.org"; exit 6';
  expect(await shown([call('exec_command', { cmd: offline })])).toContain(
    ': perhaps the sandbox has no network; allow it with -s workspace-write -c sandbox_workspace_write.network_access=true\n',
  );
  expect(await shown([call('exec_command', { cmd: 'exit 3' })])).toMatch(/\n {2}exit 3 in \d+\.\ds\n/);
});

test('a refused command says why and what to do', async () => {
  const escalated = { cmd: 'ls', sandbox_permissions: 'require_escalated', justification: 'for fun' };
  const stderr = await shown([call('exec_command', escalated), call('exec_command', { cmd: 'rm -rf /' })]);
  expect(stderr).toContain(
    '  not run: it asks to leave the sandbox; run it yourself, or allow everything with -s danger-full-access\n',
  );
  expect(stderr).toContain('  not run: it could destroy something; run it yourself if you want it\n');
});

test('a call that made no sense says why', async () => {
  const stderr = await shown([call('no_such_tool', {}), customCall('apply_patch', 'nonsense')]);
  expect(stderr).toContain('no_such_tool failed: unsupported call: no_such_tool\n');
  expect(stderr).toMatch(/apply_patch failed: .+\n/);
});
