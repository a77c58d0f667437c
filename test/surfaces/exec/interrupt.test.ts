import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { call, fault, gate, reply, say } from '../../../src/testing/index.ts';
import { processesWith } from '../../harness/processes.ts';
import { runOxbow, startOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

const isStarted = ({ type, item }: { type: string; item?: unknown }) =>
  type === 'item.started' && (item as { type: string }).type === 'command_execution';

/** A process in the group, one in its own session, and one that was forked twice. */
const TREE = 'sleep 300 & setsid sleep 300 & (setsid sh -c "sleep 300 &" &); touch ready; wait; sleep 300';

async function waitForFile(read: () => string): Promise<void> {
  for (;;) {
    try {
      read();
      return;
    } catch {
      await delay(10);
    }
  }
}

test('Ctrl-C ends open commands with all their processes, answers every call and keeps the thread valid', async () => {
  const { model, workspace, rollout } = await scene([
    reply(
      say('Starting.'),
      call('exec_command', { cmd: TREE, yield_time_ms: 30_000 }, { callId: 'tree' }),
      call('shell', { command: ['sleep', '300'], timeout_ms: 60_000 }, { callId: 'shell' }),
    ),
  ]);
  const program = await startOxbow(['exec', '--json', 'go'], { workspace, model });
  await program.waitForEvent(isStarted);
  await waitForFile(() => workspace.read('ready'));
  program.kill('SIGINT');
  const result = await program.wait();

  expect(result.code).toBe(1);
  expect(processesWith(result.marker)).toEqual([]);
  expect(result.events.map(({ type }) => type)).not.toContain('turn.completed');
  const outputs = rollout().flatMap((line) =>
    line.type === 'response_item' && line.payload.type === 'function_call_output' ? [line.payload] : [],
  );
  expect(outputs.map(({ call_id }) => call_id)).toEqual(['tree', 'shell']);
  expect(outputs[0]?.output).toMatch(/^Wall time: \d+\.\d seconds\naborted by user$/);
  expect(outputs[1]?.output).toMatch(/^aborted by user after \d+\.\ds$/);
  const last = rollout()
    .filter((line) => line.type === 'response_item')
    .at(-1);
  expect(JSON.stringify(last)).toContain('<turn_aborted>');
});

test('Ctrl-C while the model is answering closes the request', async () => {
  const { model, workspace, rollout } = await scene([
    reply(say('Let me think about that'), gate(new Promise(() => {}))),
  ]);
  const program = await startOxbow(['exec', '--json', 'go'], { workspace, model });
  const request = await model.waitForRequest(1);
  program.kill('SIGINT');
  const result = await program.wait();
  expect(result.code).toBe(1);
  await request.ended;
  expect(request.aborted).toBe(true);
  expect(JSON.stringify(rollout())).toContain('turn_aborted');
});

test('a command that is still running when the turn ends dies with the thread', async () => {
  const { model, workspace } = await scene([
    reply(call('exec_command', { cmd: TREE, yield_time_ms: 250 })),
    reply(say('It runs in the background.')),
  ]);
  const result = await runOxbow(['exec', '--json', 'go'], { workspace, model });
  expect(result.code).toBe(0);
  expect(processesWith(result.marker)).toEqual([]);
  const types = result.events.map(({ type }) => type);
  expect(types.slice(-2)).toEqual(['item.completed', 'turn.completed']);
  expect(result.events.at(-2)?.item).toMatchObject({ type: 'command_execution' });
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the run with the exit code %i', async (signal, code) => {
  const { model, workspace, rollout } = await scene([reply(say('Let me think'), gate(new Promise(() => {})))]);
  const program = await startOxbow(['exec', '--json', 'go'], { workspace, model });
  await model.waitForRequest(1);
  program.kill(signal);
  expect((await program.wait()).code).toBe(code);
  expect(JSON.stringify(rollout())).toContain('turn_aborted');
});

test('when the reader of the output is gone, the run ends and leaves nothing behind', async () => {
  const { model, workspace } = await scene((_, n) =>
    n === 1 ? reply(call('exec_command', { cmd: 'sleep 1', yield_time_ms: 30_000 })) : reply(say('done')),
  );
  const program = await startOxbow(['exec', '--json', 'go'], { workspace, model });
  await program.waitForEvent(isStarted);
  program.stopReading();
  const result = await program.wait();
  expect(result.code).toBe(1);
  expect(processesWith(result.marker)).toEqual([]);
});

test('the time limit stops a server that hangs and a command that does not end', async () => {
  const hanging = await scene([fault.hang()]);
  const first = await runOxbow(['exec', '--json', '--timeout', '500ms', 'go'], hanging);
  expect(first.code).toBe(1);
  expect(first.events.at(-1)).toEqual({
    type: 'turn.failed',
    error: { message: 'The time limit of 0.5 seconds was reached. It is set by --timeout.' },
  });
  const endless = await scene([reply(call('exec_command', { cmd: 'sleep 300', yield_time_ms: 30_000 }))]);
  const second = await runOxbow(['exec', '--json', '--timeout', '0.8s', 'go'], endless);
  expect(second.code).toBe(1);
  expect(processesWith(second.marker)).toEqual([]);
  expect(JSON.stringify(endless.rollout())).toMatch(
    /aborted after \d+\.\ds: The time limit of 0\.8 seconds was reached/,
  );
});

test('a model that never stops calling is stopped by the limits on requests and tokens', async () => {
  const endless = () =>
    reply(call('exec_command', { cmd: 'echo again >> log' }), { usage: { inputTokens: 900, outputTokens: 100 } });
  const first = await scene(endless);
  const result = await runOxbow(['exec', '--json', '--max-requests', '3', 'go'], first);
  expect(result.code).toBe(1);
  expect(first.model.requests).toHaveLength(3);
  expect(first.workspace.read('log')).toBe('again\nagain\nagain\n');
  expect(result.events.slice(-2)).toEqual([
    { type: 'error', message: 'The limit of 3 requests was reached. It is set by --max-requests.' },
    { type: 'turn.failed', error: { message: 'The limit of 3 requests was reached. It is set by --max-requests.' } },
  ]);
  const second = await scene(endless);
  const tokens = await runOxbow(['exec', '--max-tokens', '1500', 'go'], second);
  expect(tokens.code).toBe(1);
  expect(second.model.requests).toHaveLength(2);
  expect(tokens.stderr).toContain('The limit of 1500 tokens was reached: 2000 used. It is set by --max-tokens.');
});
