import { expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { outputsOf } from '../../harness/wires.ts';

const CALLS = reply(
  call('shell', { command: ['true'] }, { callId: 'good' }),
  call('shell', { command: ['false'] }, { callId: 'bad' }),
  call('no_such_tool', {}, { callId: 'unknown' }),
);
const script = [CALLS, reply(say('done')), reply(say('again'))];

test('outputs are strings on the wire and in the rollout, which also records how the calls went', async () => {
  const s = await libraryScene(script);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  const sent = s.model.requests[1]?.body.input?.flatMap((item) => ('output' in item ? [typeof item.output] : []));
  expect(sent).toEqual(['string', 'string', 'string']);
  const lines = s.rollout().flatMap((line) => (line.type === 'response_item' && line.metadata ? [line] : []));
  expect(lines.map(({ metadata }) => [metadata?.success, metadata?.failure])).toEqual([
    [true, undefined],
    [false, undefined],
    [false, 'parse'],
  ]);
});

test('a server that expects objects gets them, even after a resume, and the rollout keeps strings', async () => {
  const s = await libraryScene(script, { model_providers: { scripted: { compat: { tool_output: 'object' } } } });
  const first = await s.agent.startThread(s.threadOptions());
  await first.run('go');
  await first.close();
  const second = await s.agent.resumeThread(first.id, s.threadOptions());
  await second.run('more');
  await second.close();
  for (const n of [1, 2]) {
    const input = s.model.requests[n]?.body.input ?? [];
    const parsed = (id: string) =>
      input.flatMap((item) => ('output' in item && item.call_id === id ? [item.output] : []))[0];
    expect(parsed('good')).toEqual({ content: expect.stringContaining('"exit_code":0'), success: true });
    expect(parsed('bad')).toEqual({ content: expect.stringContaining('"exit_code":1'), success: false });
    expect(parsed('unknown')).toEqual({ content: 'unsupported call: no_such_tool', success: false });
  }
  const [one, two] = s.model.requests.slice(1).map(({ bytes }) => bytes.toString());
  const prefix = one?.slice(0, one.lastIndexOf('],"tools":')) ?? '';
  expect(two?.startsWith(prefix)).toBe(true);
  const kept = s
    .rollout()
    .flatMap(({ type, payload }) => (type === 'response_item' && 'output' in payload ? [typeof payload.output] : []));
  expect(kept).toEqual(['string', 'string', 'string']);
});

test('a plan may have several steps in progress, but no step without a status', async () => {
  const step = (status: string) => ({ step: status, status });
  const s = await libraryScene([
    reply(
      call('update_plan', { plan: [step('in_progress'), step('in_progress'), step('completed')] }, { callId: 'two' }),
      call('update_plan', { plan: [step('doing')] }, { callId: 'wrong' }),
      call('update_plan', { explanation: 'why', plan: [] }, { callId: 'empty' }),
    ),
    reply(say('done')),
  ]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  const outputs = outputsOf(s.model, 1);
  expect(outputs.get('two')).toBe('Plan updated');
  expect(outputs.get('empty')).toBe('Plan updated');
  expect(outputs.get('wrong')).toMatch(/^failed to parse function arguments: .*`plan\[0\]\.status`/);
  const plans = s.events.flatMap((event) => ('item' in event && event.item.type === 'plan' ? [event.type] : []));
  expect(plans).toEqual(['item.started', 'item.updated', 'item.completed']);
});
