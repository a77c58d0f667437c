import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Terminal } from '../../../src/base/environment.ts';
import {
  neverAborted,
  openScript,
  type TestEnvironment,
  testEnvironment,
  until,
} from '../../../src/exec/environment/test-environment.ts';
import { reply, say } from '../../../src/testing/index.ts';
import { environmentOf, PROGRAM, sent, turn } from '../../behaviour/threads/commands/scene.ts';
import { type Scene, scene } from '../../harness/scene.ts';

let environment: TestEnvironment | undefined;
afterEach(async () => {
  await environment?.close();
  environment = undefined;
});

/** Runs two threads, then a script on a terminal. */
async function twoThreads(script: string): Promise<{ s: Scene; terminal: Terminal }> {
  const s = await scene([reply(say('one')), reply(say('two')), reply(say('the answer'))]);
  await turn(['first thread'], s);
  // Threads are listed by the time of their last change.
  await sleep(20);
  await turn(['second thread'], s);
  environment = testEnvironment({
    baseEnv: { ...environmentOf(s.workspace), SCRIPTED_KEY: 'scripted-key', NO_COLOR: '1' },
  });
  const { terminal } = await openScript(environment, script, { cwd: s.workspace.path, tty: true });
  return { s, terminal };
}

async function exitCode(terminal: Terminal): Promise<number> {
  for (;;) {
    const { exitCode } = await terminal.collect(1000, neverAborted);
    if (exitCode !== null) return exitCode;
  }
}

const QUESTION = '[1-2, Enter for the newest] ';

describe.skipIf(process.platform !== 'linux')(
  'exec resume without a thread, on a terminal',
  { timeout: 30_000 },
  () => {
    test.each([
      ['2\r', 'first thread'],
      ['\r', 'second thread'],
      ['9\r1\r', 'second thread'],
    ])('lists the threads, and %j picks one', async (answer, picked) => {
      const { s, terminal } = await twoThreads(`${PROGRAM} exec resume`);
      const list = await until(terminal, QUESTION);
      expect(list).toMatch(/ 1 {2}\S+ +just now +second thread\r\n 2 {2}\S+ +just now +first thread\r\n/);
      await terminal.write(answer);
      await until(terminal, 'Prompt: ');
      await terminal.write('and now?\r');
      expect(await exitCode(terminal)).toBe(0);
      expect(sent(s, 2)).toContain(picked);
      expect(sent(s, 2).at(-1)).toBe('and now?');
    });

    test('standard input may be the prompt, and standard output a pipe', async () => {
      const { s, terminal } = await twoThreads(`echo from a pipe | ${PROGRAM} exec resume | cat`);
      await until(terminal, QUESTION);
      await terminal.write('2\r');
      expect(await exitCode(terminal)).toBe(0);
      expect(sent(s, 2)).toContain('first thread');
      expect(sent(s, 2).at(-1)).toBe('from a pipe\n');
    });

    test('Ctrl-C picks nothing', async () => {
      const { s, terminal } = await twoThreads(`${PROGRAM} exec resume`);
      await until(terminal, QUESTION);
      await terminal.write('\u0003');
      expect(await exitCode(terminal)).toBe(1);
      expect(s.model.requests).toHaveLength(2);
    });
  },
);
