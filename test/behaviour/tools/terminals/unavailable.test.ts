import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { call, reply, say } from '../../../../src/testing/index.ts';
import { scene } from '../../../harness/scene.ts';
import { scriptedConfig } from '../../../harness/scripted-config.ts';
import { startProgram } from '../../../harness/start-program.ts';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));

test('without the package for terminals, a command that needs one fails with a clear error, and others run', async () => {
  const { model, workspace, outputs } = await scene([
    reply(call('exec_command', { cmd: 'true', tty: true }, { callId: 'tty' })),
    reply(call('exec_command', { cmd: 'echo fine' }, { callId: 'pipe' })),
    reply(say('done')),
  ]);
  workspace.configure(scriptedConfig(model.url));
  const folder = mkdtempSync(join(tmpdir(), 'oxbow-alone-'));
  try {
    for (const part of ['bin', 'dist/program']) cpSync(join(repository, part), join(folder, part), { recursive: true });
    const env = { PATH: process.env.PATH ?? '', HOME: workspace.home, OXBOW_HOME: workspace.home, SCRIPTED_KEY: 'k' };
    const args = [join(folder, 'bin/oxbow'), 'exec', '--json', 'go'];
    const program = await startProgram({ command: process.execPath, args, cwd: workspace.path, env, json: true });
    expect((await program.wait()).code).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const found = outputs(2);
  expect(found.get('tty')).toMatch(
    /^exec_command failed: There are no terminals on this machine: @lydell\/node-pty cannot be loaded \(.*Cannot find module.*\)\. Run the command with tty=false, or install the package for this system\.$/,
  );
  expect(found.get('pipe')).toMatch(/Process exited with code 0\n[\s\S]*Output:\nfine\n$/);
});
