import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { itemText } from '../../../src/base/item-text.ts';
import { applyLine } from '../../../src/engine/state/apply-line.ts';
import { emptyState } from '../../../src/engine/state/thread-state.ts';
import { call, reply, say } from '../../../src/testing/index.ts';
import { libraryScene } from '../../harness/library-scene.ts';
import { notReplayed } from '../../harness/replay-rollouts.ts';

test('the state of a running thread is the fold over its log', async () => {
  const s = await libraryScene([
    reply(call('exec_command', { cmd: 'echo 1' }), call('exec_command', { cmd: 'exit 2' }), call('nope', {})),
    reply(say('first')),
    reply(say('second')),
  ]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  await thread.run('two');
  const folded = emptyState();
  for (const line of s.rollout()) applyLine(folded, line);
  expect(folded).toEqual(thread.state);
  expect(folded.history.map(itemText)).toEqual(thread.state.history.map(itemText));
  expect(thread.state.usage.totalTokens).toBe(360);
  await thread.close();
});

test('a second turn sends the first with it and does not repeat what the model has seen', async () => {
  const s = await libraryScene([reply(say('first')), reply(say('second'))]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('one');
  const result = await thread.run('two');
  expect(result.finalResponse).toBe('second');
  const input = s.model.requests[1]?.body.input ?? [];
  expect(input).toHaveLength(5);
  expect(JSON.stringify(input).match(/<environment_context>/g)).toHaveLength(1);
  await thread.close();
});

test('a resumed thread continues at the end of the log, in the same file', async () => {
  const s = await libraryScene([
    reply(call('exec_command', { cmd: 'echo 1' })),
    reply(say('first')),
    reply(say('second')),
  ]);
  const before = await s.agent.startThread(s.threadOptions());
  await before.run('one');
  await before.close();
  const after = await s.agent.resumeThread(before.id, s.threadOptions());
  expect(after.state).toEqual(before.state);
  await after.run('two');
  const [, second, third] = s.model.requests.map(({ bytes }) => bytes.toString('utf8'));
  const prefix = second?.slice(0, second.lastIndexOf('],"tools":'));
  expect(third?.startsWith(`${prefix},`)).toBe(true);
  expect(after.path).toBe(before.path);
  const ordinals = s.rollout().map((line) => (line as unknown as { ordinal: number }).ordinal);
  expect(ordinals).toEqual(ordinals.map((_, n) => n));
  await after.close();
});

test('calls that a dead process left open get an output from what is known about them', async () => {
  notReplayed('its lines belong to no turn');
  const s = await libraryScene([reply(say('first')), reply(say('second'))]);
  const before = await s.agent.startThread(s.threadOptions());
  await before.run('one');
  await before.close();
  const line = (type: string, payload: object) => `${JSON.stringify({ timestamp: '', type, payload })}\n`;
  const asked = (call_id: string) =>
    line('response_item', { type: 'function_call', name: 'exec_command', arguments: '{}', call_id });
  const output = { type: 'function_call_output', call_id: 'finished', output: 'its output' };
  appendFileSync(
    before.path ?? '',
    [
      line('oxbow', { kind: 'request.started', request: 2, attempt: 0 }),
      asked('never'),
      asked('started'),
      line('oxbow', { kind: 'call.started', call_id: 'started' }),
      asked('reading'),
      line('oxbow', { kind: 'call.started', call_id: 'reading', read_only: true }),
      asked('finished'),
      line('oxbow', { kind: 'call.started', call_id: 'finished' }),
      line('oxbow', { kind: 'call.finished', output, metadata: { success: true, duration_ms: 1 } }),
      '{"half a li',
    ].join(''),
  );
  const after = await s.agent.resumeThread(before.id, s.threadOptions());
  await after.run('two');
  expect([...s.outputs(1)]).toEqual([
    ['never', 'aborted'],
    ['started', expect.stringContaining('Whether it took effect, wholly or in part, is not known')],
    ['reading', expect.stringContaining('It only reads, so it may be repeated')],
    ['finished', 'its output'],
  ]);
  await after.close();
});

test('a thread that does not exist is named', async () => {
  const s = await libraryScene([]);
  await expect(s.agent.resumeThread('no-such-id')).rejects.toThrow('There is no thread no-such-id in');
});

test('events are numbered without gaps and carry thread and turn', async () => {
  const s = await libraryScene([
    reply(say('hello there'), call('exec_command', { cmd: 'echo out' })),
    reply(say('done')),
  ]);
  const thread = await s.agent.startThread(s.threadOptions());
  await thread.run('go');
  await thread.close();
  expect(s.events.map(({ seq }) => seq)).toEqual(s.events.map((_, n) => n + 1));
  expect(new Set(s.events.map(({ threadId }) => threadId))).toEqual(new Set([thread.id]));
  const text = s.events.filter((event) => event.type === 'text.delta').map(({ delta }) => delta);
  expect(text.length).toBeGreaterThan(1);
  expect(text.join('')).toBe('hello theredone');
  expect(s.events).toContainEqual(expect.objectContaining({ type: 'command.output', itemId: 'call_1', text: 'out\n' }));
});

test('a command leaves the sandbox only when the user agrees', async () => {
  const escalated = {
    cmd: 'echo "out"',
    sandbox_permissions: 'require_escalated',
    justification: 'Needs the network.',
  };
  const config = { approval_policy: 'on-request', sandbox_mode: 'workspace-write' };
  for (const answer of ['approved', 'denied'] as const) {
    const s = await libraryScene([reply(call('exec_command', escalated)), reply(say('done'))], config);
    const thread = await s.agent.startThread(
      s.threadOptions({
        ask: async (ask) => {
          expect(ask).toMatchObject({
            callId: 'call_1',
            reason: 'Needs the network.',
            argv: ['/bin/bash', '-c', 'echo "out"'],
          });
          return answer;
        },
      }),
    );
    await thread.run('go');
    const output = s.outputs(1).get('call_1');
    if (answer === 'approved') expect(output).toContain('Output:\nout\n');
    else expect(output).toBe('rejected by user');
    expect(s.rollout()).toContainEqual(
      expect.objectContaining({ payload: { kind: 'ask.answered', call_id: 'call_1', answer } }),
    );
    await thread.close();
  }
});

test('two turns of one thread do not run at once', async () => {
  const s = await libraryScene([reply(say('done'))]);
  const thread = await s.agent.startThread(s.threadOptions());
  const first = thread.run('one');
  await expect(thread.run('two')).rejects.toThrow('still running');
  await first;
  await thread.close();
});
