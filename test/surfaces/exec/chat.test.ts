import { expect, test } from 'vitest';
import { call, fault, reply, say } from '../../../src/testing/index.ts';
import { requestFaults } from '../../harness/request-faults.ts';
import { runOxbow } from '../../harness/run-oxbow.ts';
import { scene } from '../../harness/scene.ts';
import { over, WIRES } from '../../harness/wires.ts';

const overChat = over('chat');

const STEPS = [
  reply(say('I will do it.'), call('shell', { command: ['touch', 'test.txt'] }, { callId: 'call_create_001' })),
  reply(call('shell', { command: ['echo', 'Hello World', '>', 'test.txt'] }, { callId: 'call_write_001' })),
  reply(say("Task completed! I created the file and wrote 'Hello World' to it.")),
];

test('a file is created and written, and the answer is printed, over every wire', async () => {
  const runs = new Map<string, readonly string[]>();
  for (const wire of WIRES) {
    const s = await scene(STEPS);
    const run = await runOxbow(['exec', '--json', 'Create a file and write to it'], { ...s, config: over(wire) });
    expect(run.code, run.stderr).toBe(0);
    expect(s.workspace.read('test.txt')).toBe('Hello World\n');
    for (const { body } of s.model.requests) expect(requestFaults(body), wire).toEqual([]);
    runs.set(
      wire,
      run.events.slice(1).map((event) => JSON.stringify(event)),
    );
  }
  for (const [wire, events] of runs) expect(events, wire).toEqual(runs.get('responses'));
});

test('the messages that a chat server gets', async () => {
  const s = await scene(STEPS);
  await runOxbow(['exec', '-c', 'tools.command="shell"', 'go'], { ...s, config: overChat });
  expect(s.model.requests.map(({ path }) => path)).toEqual(Array(3).fill('/v1/chat/completions'));
  const body = s.model.requests[2]?.body as { messages: { role: string }[]; tools: object[]; stream_options: object };
  expect(body.messages.map(({ role }) => role)).toEqual([
    ...['system', 'user', 'user', 'assistant', 'tool', 'assistant', 'tool'],
  ]);
  expect(body.stream_options).toEqual({ include_usage: true });
  expect(body.tools[0]).toMatchObject({
    type: 'function',
    function: { name: 'shell', strict: false, parameters: { required: ['command'] } },
  });
  expect(Object.keys(body.tools[0] ?? {})).toEqual(['type', 'function']);
});

test.each([404, 405])(
  'a server without /responses (%i) gets chat requests, and the wire is remembered',
  async (status) => {
    const s = await scene((request) =>
      request.path.endsWith('/responses') ? fault.status(status, 'no such path') : reply(say('over chat')),
    );
    const config = { model_providers: { scripted: { wire_api: 'auto' } } };
    expect((await runOxbow(['exec', 'x'], { ...s, config })).stdout).toBe('over chat\n');
    expect((await runOxbow(['exec', 'x'], { ...s, config })).stdout).toBe('over chat\n');
    expect(s.model.requests.map(({ path }) => path)).toEqual([
      ...['/v1/responses', '/v1/chat/completions', '/v1/chat/completions'],
    ]);
  },
);

test('a thread may change its wire in the middle', async () => {
  const s = await scene([...STEPS, ...STEPS]);
  const first = await runOxbow(['exec', '--json', 'go'], { ...s, config: overChat });
  const id = String(first.events[0]?.thread_id);
  const responses = { model_providers: { scripted: { wire_api: 'responses' } } };
  const second = await runOxbow(['exec', '--json', 'resume', id, 'again'], { ...s, config: responses });
  expect(second.code).toBe(0);
  const input = s.model.requests[3]?.body.input ?? [];
  expect(input.filter((item) => item.type === 'function_call')).toHaveLength(2);
  expect(input.filter((item) => item.type === 'function_call_output')).toHaveLength(2);
  const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
  expect(types(second.events)).toEqual(types(first.events));
});
