import { afterEach, describe, expect, test } from 'vitest';
import {
  neverAborted,
  openScript,
  type TestEnvironment,
  testEnvironment,
} from '../../../../src/exec/environment/test-environment.ts';
import { call, reply, say } from '../../../../src/testing/index.ts';
import { scene } from '../../../harness/scene.ts';
import { environmentOf, PROGRAM, turn } from '../commands/scene.ts';

let environment: TestEnvironment | undefined;
afterEach(async () => {
  await environment?.close();
  environment = undefined;
});

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  test.each([
    ['n\r', 1, '1\n'],
    ['\u0004', 1, '1\n'],
    ['y\r', 0, '0\n'],
  ])('restore shows its changes and asks; the answer %j exits with %i', async (answer, code, content) => {
    const s = await scene([reply(call('exec_command', { cmd: 'echo 1 > a' })), reply(say('done'))], { a: '0\n' });
    const id = await turn(['change it'], { ...s, config: { snapshots: { enabled: true } } });
    environment = testEnvironment({ baseEnv: { ...environmentOf(s.workspace), TERM: 'xterm' } });
    const command = `${PROGRAM} threads restore ${id} --turn 1`;
    const { terminal } = await openScript(environment, command, { cwd: s.workspace.path, tty: true });
    let text = '';
    let exitCode: number | null = null;
    while (exitCode === null) {
      const asked = text.includes('[y/N] ');
      const collected = await terminal.collect(20, neverAborted);
      text += collected.text;
      exitCode = collected.exitCode;
      if (!asked && text.includes('[y/N] ')) await terminal.write(answer);
    }
    expect(text).toMatch(/write back {3}a\r?\n/);
    expect(text).toContain(code === 0 ? 'is restored: 1 change.' : 'Nothing was changed.');
    expect(exitCode).toBe(code);
    expect(s.workspace.read('a')).toBe(content);
  });
});
