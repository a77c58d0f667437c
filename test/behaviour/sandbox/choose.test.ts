import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { call, customCall, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { hasProgram } from './run-agent.ts';

const canTest = process.platform === 'linux' && hasProgram('bwrap') && hasProgram('perl');
const BACKENDS = ['bubblewrap', 'landlock'] as const;
const chosen = (backend: string) => ['-c', `sandbox_backend="${backend}"`];

describe.skipIf(!canTest).each(BACKENDS)('with sandbox_backend = "%s"', (backend) => {
  test('the home is kept from commands and patches, although it lies in /tmp', async () => {
    const s = await scene([
      reply(call('exec_command', { cmd: 'mkdir -p ~/rules; echo x > ~/rules/default.rules; echo x >> ~/config.toml' })),
      reply(say('done')),
    ]);
    const before = readdirSync(s.workspace.home);
    const args = ['exec', '--json', '-s', 'workspace-write', ...chosen(backend), 'go'];
    expect((await runOxbow(args, s)).code).toBe(0);
    expect(existsSync(join(s.workspace.home, 'rules'))).toBe(false);
    expect(before).not.toContain('rules');
  });

  test('oxbow sandbox hides the keys, and says which deny_read hides nothing', async () => {
    const s = await scene([]);
    writeFileSync(join(s.workspace.home, 'auth.json'), '{"OPENAI_API_KEY":"tell-no-one"}');
    s.workspace.configure(`sandbox_backend = "${backend}"\ndeny_read = ["~/missing", "~/**/.env"]\n`);
    const { stdout, stderr, code } = await runOxbow(['sandbox', '--', 'cat', join(s.workspace.home, 'auth.json')], {
      workspace: s.workspace,
    });
    expect(code).not.toBe(0);
    expect(`${stdout}${stderr}`).not.toContain('tell-no-one');
    expect(stderr).toContain(`deny_read names ${s.workspace.home}/missing, which does not exist`);
    expect(stderr).toContain('patterns with * are not supported');
  });

  test('oxbow doctor names it', async () => {
    const s = await scene([]);
    const env = { OXBOW_SANDBOX_BACKEND: backend };
    const { stdout } = await runOxbow(['doctor', '--json'], { workspace: s.workspace, env });
    const text = backend === 'landlock' ? 'Landlock (chosen by sandbox_backend)' : 'Sandbox: bubblewrap and Landlock.';
    expect(stdout).toContain(text);
  });
});

test('a project cannot choose the sandbox', async () => {
  const s = await scene([]);
  s.workspace.configure(`projects."${s.workspace.path}".trust_level = "trusted"\n`);
  s.workspace.write('.oxbow/config.toml', 'sandbox_backend = "landlock"\n');
  const { stderr, stdout } = await runOxbow(['doctor'], { workspace: s.workspace });
  expect(`${stdout}${stderr}`).toContain('sandbox_backend in');
  expect(`${stdout}${stderr}`).not.toContain('chosen by sandbox_backend');
});

test.skipIf(!canTest)('patches do not follow a root that a command made a link', async () => {
  const s = await scene([
    reply(call('exec_command', { cmd: 'ln -s ../outside build' }, { callId: 'a' })),
    reply(customCall('apply_patch', '*** Begin Patch\n*** Add File: build/x\n+x\n*** End Patch\n', { callId: 'b' })),
    reply(say('done')),
  ]);
  const outside = join(s.workspace.path, '../outside');
  const args = ['exec', '--json', '-s', 'workspace-write', '--add-dir', 'build'];
  const off = ['-c', 'sandbox_workspace_write.exclude_slash_tmp=true'];
  const { stdout } = await runOxbow([...args, ...off, 'go'], s);
  expect(existsSync(outside)).toBe(false);
  expect(s.outputs(2).get('b')).not.toContain('Success');
  expect(stdout).toContain('does not exist and does not count in this thread');
});
