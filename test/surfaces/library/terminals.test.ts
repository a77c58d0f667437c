import { expect, test } from 'vitest';
import type { Event } from '../../../src/index.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';

const FULL = { sandbox_mode: 'danger-full-access' };

const changes = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'terminals.changed' ? [event.terminals.map(({ id }) => id)] : []));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('a process that a call leaves running is a terminal: it is listed, read and stopped', async () => {
  const s = await libraryScene(
    [
      reply(call('exec_command', { cmd: 'echo short' })),
      reply(call('exec_command', { cmd: 'seq 1 20000; echo ready; sleep 300', yield_time_ms: 250 })),
      reply(say('started')),
    ],
    FULL,
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('serve');
  const [terminal, ...others] = thread.terminals;
  expect(others).toEqual([]);
  expect(terminal).toMatchObject({ cwd: s.workspace.path, sandboxed: false });
  expect(terminal?.argv.at(-1)).toContain('echo ready');
  expect(terminal?.startedAt).toBeGreaterThan(Date.now() - 60_000);
  const id = terminal?.id ?? 0;
  // The model knows it by the same number.
  expect([...s.outputs(2).values()].at(-1)).toContain(`session ID ${id}`);
  await until(() => thread.terminalOutput(id).endsWith('ready\n'));
  const output = thread.terminalOutput(id);
  expect(output.length).toBeLessThanOrEqual(64 * 1024);
  expect(output).toMatch(/^\d+\n/);
  await thread.stopTerminal(id);
  await until(() => thread.terminals.length === 0);
  expect(changes(s.events)).toEqual([[id], []]);
  expect(s.events.at(-1)).toMatchObject({ type: 'terminals.changed', turnId: null });
  expect(() => thread.terminalOutput(id)).toThrow('No terminal');
  await expect(thread.stopTerminal(id)).rejects.toMatchObject({ code: 'not_found' });
  await thread.close();
});

test('a command that ends with its call, or is stopped with its turn, is no terminal', async () => {
  const s = await libraryScene(
    [reply(call('exec_command', { cmd: 'echo begun; sleep 300', yield_time_ms: 30_000 }))],
    FULL,
  );
  const thread = await s.agent.startThread(s.threadOptions());
  const turn = thread.run('wait');
  await until(() => s.events.some(({ type }) => type === 'command.output'));
  await thread.abort();
  expect((await turn).status).toBe('aborted');
  expect(thread.terminals).toEqual([]);
  expect(changes(s.events)).toEqual([]);
  await thread.close();
});

test('terminals in a sandbox survive turns, and end with the thread', async () => {
  const s = await libraryScene(
    [reply(call('exec_command', { cmd: 'sleep 300', yield_time_ms: 250 })), reply(say('one')), reply(say('two'))],
    { sandbox_mode: 'read-only' },
  );
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  expect(thread.terminals).toMatchObject([{ sandboxed: true }]);
  await thread.run('two', { sandboxMode: 'workspace-write' });
  expect(thread.terminals).toHaveLength(1);
  await thread.close();
  expect(thread.terminals).toEqual([]);
});
