import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Item, isCallOutput } from '../../../src/base/item.ts';
import type { LogLine } from '../../../src/base/log.ts';
import { call, customCall, reply, say } from '../../../src/testing/index.ts';
import { type LibraryScene, libraryScene } from '../../harness/library-scene.ts';
import { notCompared } from '../../harness/replay-rollouts.ts';
import { requestFaults } from '../../harness/request-faults.ts';
import { sampled } from '../../harness/runs.ts';

const CALLS = ['one', 'two'];

test('a log with suspended questions that was cut off anywhere goes on, and no call runs twice', async () => {
  notCompared('the log is cut behind the back of the thread');
  const s = await libraryScene(answer, { approval_policy: 'on-request', sandbox_mode: 'read-only' });
  const { id, path, log } = await wholeLog(s);
  const seen = { open: 0, started: 0 };
  for (const cut of sampled(lineEnds(log), 30)) {
    writeFileSync(path, log.subarray(0, cut));
    const { started, ended } = callsIn(log.subarray(0, cut));
    // The effects of a process that died right after its last line.
    writeFileSync(s.workspace.file('effects'), started.map((name) => `${name}\n`).join(''));
    const thread = await s.agent.resumeThread(id, s.threadOptions());
    const open = thread.asks.map(({ callId }) => callId);
    expect(
      open.filter((name) => started.includes(name) || ended.includes(name)),
      `cut at ${cut}`,
    ).toEqual([]);
    seen.open += open.length;
    seen.started += started.length;
    await goOn(thread, cut);
    await thread.close();
    const effects = s.workspace.read('effects').split('\n').slice(0, -1).sort();
    expect(effects, `cut at ${cut}`).toEqual([...new Set([...open, ...started])].sort());
    expect(await s.agent.replay(id), `cut at ${cut}`).toMatchObject({ reproduced: true });
  }
  expect(s.model.unexpected).toEqual([]);
  for (const { body } of s.model.requests) expect(requestFaults(body)).toEqual([]);
  // A test that never met one of the states would prove nothing about it.
  expect(seen.open).toBeGreaterThan(5);
  expect(seen.started).toBeGreaterThan(5);
});

/** Approves all open questions, then says one thing more. */
async function goOn(thread: Awaited<ReturnType<LibraryScene['agent']['resumeThread']>>, cut: number): Promise<void> {
  for (let ask = thread.asks[0]; ask; ask = thread.asks[0]) {
    const { status } = await thread.answer(ask.id, 'approved');
    expect(status, `cut at ${cut}`).toBe(thread.asks.length > 0 ? 'suspended' : 'completed');
  }
  expect((await thread.run('Say done.')).status, `cut at ${cut}`).toBe('completed');
}

/** Makes a thread in which two questions are suspended and then answered. */
async function wholeLog(s: LibraryScene): Promise<{ id: string; path: string; log: Buffer }> {
  const thread = await s.agent.startThread(s.threadOptions({ ask: () => ({ type: 'suspend' }) }));
  expect((await thread.run('Do it.')).asks).toHaveLength(CALLS.length);
  await goOn(thread, 0);
  await thread.close();
  const path = thread.path ?? '';
  return { id: thread.id, path, log: readFileSync(path) };
}

/** Calls the tools once, and answers everything else with a word. */
function answer({ body }: { body: { input?: unknown } }) {
  const input = (body.input ?? []) as Item[];
  const isNew = !input.some(isCallOutput) && JSON.stringify(input.at(-1)).includes('Do it.');
  if (!isNew) return reply(say('done'));
  const ask = { sandbox_permissions: 'require_escalated', justification: 'Needs it.' };
  return reply(
    ...CALLS.map((callId) => call('exec_command', { cmd: `echo ${callId} >> effects`, ...ask }, { callId })),
    call('exec_command', { cmd: 'echo read' }, { callId: 'read' }),
    customCall('apply_patch', 'nonsense', { callId: 'broken' }),
  );
}

function lineEnds(log: Buffer): number[] {
  const ends: number[] = [];
  for (let feed = log.indexOf('\n'); feed >= 0; feed = log.indexOf('\n', feed + 1)) ends.push(feed, feed + 1);
  // A thread without its first line has not begun.
  return ends.slice(1);
}

/** Returns the calls with a question that have started, and those that have an output, according to the whole lines. */
function callsIn(log: Buffer): { readonly started: readonly string[]; readonly ended: readonly string[] } {
  const lines = log
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogLine);
  const started = lines.flatMap((line) =>
    line.type === 'oxbow' && line.payload.kind === 'call.started' ? [line.payload.call_id] : [],
  );
  const ended = lines.flatMap((line) =>
    line.type === 'response_item' && isCallOutput(line.payload) ? [line.payload.call_id] : [],
  );
  const isAsked = (name: string) => CALLS.includes(name);
  return { started: started.filter(isAsked), ended: ended.filter(isAsked) };
}
