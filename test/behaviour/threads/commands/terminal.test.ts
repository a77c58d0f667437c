import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { Terminal } from '../../../../src/base/environment.ts';
import {
  neverAborted,
  openScript,
  type TestEnvironment,
  testEnvironment,
  until,
} from '../../../../src/exec/environment/test-environment.ts';
import { reply, say, type TempWorkspace } from '../../../../src/testing/index.ts';
import { notReplayed } from '../../../harness/replay-rollouts.ts';
import { scene } from '../../../harness/scene.ts';
import { codexLines, environmentOf, PROGRAM, rolloutPaths, turn, writeThread } from './scene.ts';

let environment: TestEnvironment | undefined;
afterEach(async () => {
  await environment?.close();
  environment = undefined;
});

/** Starts the program on a terminal of 80 columns. */
async function onTerminal(workspace: TempWorkspace, args: string, before = 'NO_COLOR=1'): Promise<Terminal> {
  environment = testEnvironment({ baseEnv: environmentOf(workspace) });
  const script = `${before} ${PROGRAM} threads ${args}`;
  const { terminal } = await openScript(environment, script, { cwd: workspace.path, tty: true });
  return terminal;
}

async function untilEnd(terminal: Terminal): Promise<{ text: string; exitCode: number | null }> {
  let text = '';
  for (;;) {
    const { text: more, exitCode } = await terminal.collect(1000, neverAborted);
    text += more;
    if (exitCode !== null) return { text, exitCode };
  }
}

describe.skipIf(process.platform !== 'linux')('on a terminal', () => {
  test.each([
    ['n\r', 1],
    ['\r', 1],
    ['\u0004', 1],
    ['\u0003', 1],
    ['yes\r', 0],
  ])('delete asks, and the answer %j exits with %i', async (answer, code) => {
    const s = await scene([reply(say('hi'))]);
    const id = await turn(['one'], s);
    const terminal = await onTerminal(s.workspace, `delete ${id}`);
    expect(await until(terminal, '[y/N] ')).toContain(`Delete thread ${id} (one) for good?`);
    await terminal.write(answer);
    const { text, exitCode } = await untilEnd(terminal);
    expect(exitCode).toBe(code);
    expect(text).toContain(code === 0 ? `Thread ${id} is deleted.` : 'Nothing was deleted.');
    expect(rolloutPaths(s.workspace)).toHaveLength(code);
    if (code === 0) expect(rolloutPaths(s.workspace).some((path) => existsSync(path))).toBe(false);
  });

  test('lists fit the width, times are relative, and NO_COLOR is respected', async () => {
    notReplayed('rollouts that were written by hand');
    const s = await scene([]);
    const long = 'what a long question this is '.repeat(10);
    writeThread(s.workspace, 'thread-1', codexLines('thread-1', [[long, 'ok']], { cwd: s.workspace.path }));
    writeThread(s.workspace, 'thread-2', codexLines('thread-2', [['日本語'.repeat(40), 'ok']]), '2026-02-01T00-00-00');
    for (const args of ['--all', 'show thread-1']) {
      const { text, exitCode } = await untilEnd(await onTerminal(s.workspace, args));
      expect(exitCode).toBe(0);
      expect(text).not.toContain('\u001b');
      expect(text).toContain('just now');
      expect(text.includes('…')).toBe(args === '--all');
      await environment?.close();
    }
    const colored = await untilEnd(await onTerminal(s.workspace, '', 'env -u NO_COLOR'));
    expect(colored.text).toContain('\u001b[2mTHREAD');
    const [, row = ''] = colored.text.split('\r\n');
    expect(row).toMatch(/^thread-1 {2,}just now {2}what a long question/);
    expect(row).toHaveLength(80);
  });

  test('an empty list says what to do', async () => {
    const s = await scene([]);
    const { text } = await untilEnd(await onTerminal(s.workspace, ''));
    expect(text).toBe('There are no threads of this folder. --all lists those of other folders too.\r\n');
  });
});
