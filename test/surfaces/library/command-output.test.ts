import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Event } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

const FULL = { sandbox_mode: 'danger-full-access' };
/** More than an environment keeps in memory. */
const LINES = 300_000;
const counted = (lines: number) => Array.from({ length: lines }, (_, n) => `${n + 1}\n`).join('');
const started = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'item.started' && event.item.type === 'command' ? [event.item.id] : []));

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('the whole output of a command can be read while it runs and after it ended, until the thread is closed', async () => {
  const s = await libraryScene(
    [
      reply(
        call('exec_command', {
          cmd: `seq 1 ${LINES}; until [ -e go ]; do sleep 0.02; done; echo end`,
          yield_time_ms: 250,
        }),
      ),
      reply(say('started')),
      reply(say('ended')),
    ],
    FULL,
  );
  const thread = await s.agent.startThread(s.threadOptions({ keepOutputs: true }));
  await thread.run('count');
  const [id = ''] = started(s.events);
  await until(async () => (await thread.commandOutput(id)).text === counted(LINES));
  const { item } = await thread.runCommand('touch go; seq 1 10000');
  expect((await thread.commandOutput(item.id)).text).toBe(counted(10_000));
  await until(async () => thread.terminals.length === 0);
  expect(await thread.commandOutput(id)).toEqual({ text: `${counted(LINES)}end\n`, isWhole: true });
  await expect(thread.commandOutput('another')).rejects.toMatchObject({ code: 'not_found' });
  const files = readdirSync(s.workspace.home, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.startsWith('outputs/'))).toEqual([]);
  await thread.close();

  const again = await s.agent.resumeThread(thread.id, { keepOutputs: true });
  const fromLog = await again.commandOutput(item.id);
  expect(fromLog.isWhole).toBe(false);
  expect(fromLog.text).toContain('1\n2\n3\n');
  expect(fromLog.text).toContain('9999\n10000\n');
  expect(fromLog.text.length).toBeGreaterThan(8_000);
  await again.close();
});

test('without keepOutputs a running command shows its head and tail, and the log has short outputs whole', async () => {
  const s = await libraryScene(
    [
      reply(call('exec_command', { cmd: `seq 1 ${LINES}; echo ready; sleep 300`, yield_time_ms: 250 })),
      reply(say('started')),
    ],
    FULL,
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('count');
  const [id = ''] = started(s.events);
  await until(async () => (await thread.commandOutput(id)).text.endsWith('ready\n'));
  const running = await thread.commandOutput(id);
  expect(running.isWhole).toBe(false);
  expect(running.text.length).toBeGreaterThan(1_000_000);
  const { item } = await thread.runCommand('seq 1 100');
  expect(await thread.commandOutput(item.id)).toEqual({ text: counted(100), isWhole: true });
  await thread.close();
});
