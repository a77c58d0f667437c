import { expect, test } from 'vitest';
import type { LineBlock } from '../base/thread-store.ts';
import { encodeGroup } from './rollout-line.ts';
import { storedLines } from './test-lines.ts';
import { readUsageLines, type UsageLine } from './usage-lines.ts';

async function read(blocks: string | AsyncIterable<LineBlock>): Promise<{ lines: UsageLine[]; damaged: number[] }> {
  const damaged: number[] = [];
  const lines: UsageLine[] = [];
  await readUsageLines(typeof blocks === 'string' ? storedLines(blocks) : blocks, {
    apply: (one) => lines.push(one),
    onDamaged: (number) => damaged.push(number),
  });
  return { lines, damaged };
}

const line = (type: string, payload: object) =>
  `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', ordinal: 1, type, payload })}\n`;

test('returns only the lines about usage', async () => {
  const { lines, damaged } = await read(
    [
      line('session_meta', { id: 'x' }),
      line('event_msg', { type: 'task_started', turn_id: 't' }),
      line('event_msg', { type: 'agent_message', message: 'no' }),
      line('oxbow', { kind: 'request.started', request: 1 }),
      line('oxbow', { kind: 'call.started', call_id: 'c' }),
      line('response_item', { type: 'message', role: 'user', content: [] }),
      line('response_item', { type: 'message', role: 'assistant', content: [] }),
      line('compacted', { message: '', replacement_history: [] }),
      line('token_usage_record', { thread_id: 'x', usage: {} }),
    ].join(''),
  );
  expect(damaged).toEqual([]);
  expect(lines.map((one) => (one.type === 'line' ? one.of : one.type))).toEqual([
    ...['session_meta', 'event_msg', 'oxbow', 'response_item', 'token_usage_record'],
  ]);
});

test.each([
  ['plain', 'some output', 12],
  ['with a text that looks like it', ',"metadata":{"success":true,"duration_ms":99}}', 3.5],
  ['long', 'x\n"quoted"\\'.repeat(50_000), 0],
])('reads the duration of a call from the end of its output: %s', async (_name, output, duration_ms) => {
  const payload = { type: 'function_call_output', call_id: 'c', output } as const;
  const metadata = { success: false, duration_ms, failure: 'execution' } as const;
  const answer = { type: 'response_item', payload, metadata } as const;
  const { lines } = await read(encodeGroup([answer, answer], 3, 0));
  expect(lines).toEqual([
    { type: 'output', ms: duration_ms },
    { type: 'output', ms: duration_ms },
  ]);
});

test('an output without a duration is ignored, whatever its text looks like', async () => {
  const output = ',"metadata":{"success":true,"duration_ms":99}}';
  expect((await read(line('response_item', { type: 'function_call_output', output }))).lines).toEqual([]);
});

test('reports damaged lines by number and continues; an incomplete last line is ignored', async () => {
  const whole = line('event_msg', { type: 'task_started', turn_id: 't' });
  const { lines, damaged } = await read(`${whole}nonsense\n[]\n${whole.slice(0, -4)}\n${whole}${whole.slice(0, -1)}`);
  expect(damaged).toEqual([2, 3, 4]);
  expect(lines).toHaveLength(2);
});

test('lines that a fork refers to are left out', async () => {
  async function* lines() {
    yield* storedLines(line('session_meta', { id: 'fork' }), 'its file');
    yield* storedLines(line('event_msg', { type: 'task_started', turn_id: 'a' }), 'the file of another');
    yield* storedLines(line('event_msg', { type: 'task_started', turn_id: 'b' }), 'its file');
  }
  const { lines: kept, damaged } = await read(lines());
  expect(damaged).toEqual([]);
  expect(kept).toMatchObject([{ of: 'session_meta' }, { payload: { turn_id: 'b' } }]);
});
