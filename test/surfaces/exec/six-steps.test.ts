import { expect, test } from 'vitest';
import { call, reply, say } from '../../../src/testing/index.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';

test('a file is created and written, and the answer is printed', async () => {
  const { model, workspace, rollout, outputs } = await scene([
    reply(call('shell', { command: ['touch', 'test.txt'] }, { callId: 'call_create_001' })),
    reply(call('shell', { command: ['echo', 'Hello World', '>', 'test.txt'] }, { callId: 'call_write_001' })),
    reply(say("Task completed! I created the file and wrote 'Hello World' to it.")),
  ]);
  const result = await runOxbow(['exec', '--json', 'Create a file and write to it'], { workspace, model });

  expect(result.code).toBe(0);
  expect(workspace.read('test.txt')).toBe('Hello World\n');
  expect(model.requests).toHaveLength(3);

  const [first, second, third] = model.requests.map(({ body }) => body.input ?? []);
  expect(first?.at(-1)).toMatchObject({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: 'Create a file and write to it' }],
  });
  expect(second?.slice(0, -2)).toEqual(first);
  expect(second?.at(-2)).toMatchObject({ type: 'function_call', call_id: 'call_create_001', name: 'shell' });
  expect(third?.slice(0, -2)).toEqual(second);
  for (const text of outputs(2).values()) {
    expect(JSON.parse(text)).toEqual({
      output: '',
      metadata: { exit_code: 0, duration_seconds: expect.any(Number) },
    });
  }

  const types = result.events.map(({ type, item }) => (item ? `${type} ${(item as { type: string }).type}` : type));
  expect(types).toEqual([
    'thread.started',
    'turn.started',
    'item.started command_execution',
    'item.completed command_execution',
    'item.started command_execution',
    'item.completed command_execution',
    'item.completed agent_message',
    'turn.completed',
  ]);
  expect(result.events.at(-1)).toEqual({
    type: 'turn.completed',
    usage: {
      input_tokens: 300,
      cached_input_tokens: 0,
      cache_write_input_tokens: 0,
      output_tokens: 60,
      reasoning_output_tokens: 0,
    },
    repairs: [
      {
        id: 'argv_operators',
        title: expect.any(String),
        times: 1,
        before: '["echo","Hello World",">","test.txt"]',
        after: "echo 'Hello World' > test.txt",
      },
    ],
  });
  const repairs = rollout().filter((line) => line.type === 'oxbow' && line.payload.kind === 'repair');
  expect(repairs).toHaveLength(1);
});

test('the repair of an argv can be turned off', async () => {
  const { model, workspace } = await scene([
    reply(call('shell', { command: ['echo', 'Hello', '>', 'test.txt'] })),
    reply(say('done')),
  ]);
  const result = await runOxbow(['exec', '-c', 'repairs.argv_operators=false', '--json', 'go'], { workspace, model });
  expect(result.code).toBe(0);
  expect(JSON.stringify(result.events)).toContain('Hello > test.txt');
  expect(() => workspace.read('test.txt')).toThrow();
});
