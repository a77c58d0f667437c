import { existsSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { call, createWorld, fault, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { notCompared } from '../../harness/replay-rollouts.ts';

test('a server that always fails costs the usual requests, and no time, in a world that skips waits', async () => {
  const world = createWorld({ skipSleep: true });
  const s = await libraryScene(() => fault.status(500, {}), {}, { world });
  const thread = await s.agent.startThread(s.threadOptions());
  const { status } = await thread.run('hi');
  expect(status).toBe('failed');
  expect(s.model.requests).toHaveLength(6);
  const waits = s.events.flatMap((event) => (event.type === 'retry' ? [event.delayMs] : []));
  expect(waits).toHaveLength(5);
  const skipped = waits.reduce((sum, ms) => sum + ms, 0);
  expect(world.now() - Date.now()).toBeCloseTo(skipped, -2);
  await thread.close();
});

test('threads in worlds with the same seed have the same ids', async () => {
  notCompared('two threads have the same id');
  const ids: string[][] = [];
  for (let run = 0; run < 2; run++) {
    const s = await libraryScene([reply(say('hello'))], {}, { world: createWorld({ seed: 3 }) });
    const thread = await s.agent.startThread();
    await thread.run('hi');
    ids.push([thread.id, ...(s.model.requests[0]?.body.input ?? []).map((item) => String(item.id))]);
    await thread.close();
  }
  expect(ids[0]).toEqual(ids[1]);
});

test('a thread does not end the commands of a thread with the same ids', async () => {
  notCompared('two threads have the same id');
  const cmd = 'touch begun; while [ ! -e end ]; do sleep 0.02; done; touch lived';
  const script = [reply(call('exec_command', { cmd, yield_time_ms: 20_000 })), reply(say('ok'))];
  const start = async () => {
    const s = await libraryScene(script, {}, { world: createWorld({ seed: 3 }) });
    const thread = await s.agent.startThread();
    const result = thread.run('go').catch(() => undefined);
    await vi.waitFor(() => expect(existsSync(s.workspace.file('begun'))).toBe(true), { timeout: 20_000 });
    return { ...s, thread, result };
  };
  const [one, other] = [await start(), await start()];
  await one.thread.close();
  other.workspace.write('end', '');
  expect((await other.result)?.status).toBe('completed');
  expect(existsSync(other.workspace.file('lived'))).toBe(true);
  await other.thread.close();
});
