import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CommandItem, PlanItem, ThreadItem } from '../base/event.ts';
import type { Item } from '../base/item.ts';
import type { LogLine } from '../base/log.ts';
import { briefItem } from './brief-item.ts';
import { createTranscript } from './transcript.ts';

const line = (payload: Item, metadata?: object): LogLine => ({
  type: 'response_item',
  payload,
  ...(metadata ? { metadata } : {}),
});
const said = (text: string, role: 'user' | 'assistant' = 'user'): LogLine =>
  line({
    type: 'message',
    id: `m_${text}`,
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  });
const call = (call_id: string, name = 'exec_command'): LogLine =>
  line({ type: 'function_call', call_id, name, arguments: '{"cmd":"ls"}' });
const output = (call_id: string, text: string, metadata?: object): LogLine =>
  line({ type: 'function_call_output', call_id, output: text }, metadata);
const begin = (turn_id: string): LogLine => ({ type: 'event_msg', payload: { type: 'task_started', turn_id } });
const end = (turn_id: string): LogLine => ({
  type: 'event_msg',
  payload: { type: 'task_complete', turn_id, last_agent_message: null },
});
const rolledBack = (num_turns: number): LogLine => ({
  type: 'event_msg',
  payload: { type: 'thread_rolled_back', num_turns },
});
const shown = (item: ThreadItem, call_id?: string): LogLine => ({
  type: 'oxbow',
  payload: { kind: 'item', turn_id: 't1', ...(call_id === undefined ? {} : { call_id }), item },
});
const command = (id: string, outputText = ''): CommandItem => ({
  type: 'command',
  id,
  argv: ['ls'],
  cwd: '/',
  output: outputText,
  exitCode: 0,
  durationMs: 1,
  status: 'completed',
});
const plan = (step: string): PlanItem => ({
  type: 'plan',
  id: 'plan t1',
  explanation: null,
  steps: [{ step, status: 'pending' }],
});

function read(...lines: readonly LogLine[]) {
  const transcript = createTranscript({ rawReasoning: false });
  for (const one of lines) transcript.apply(one);
  return transcript.items();
}
const briefly = (...lines: readonly LogLine[]) =>
  read(...lines).map(({ item }) =>
    'text' in item ? item.text : 'name' in item ? `${item.name} ${item.status}` : `${item.type} ${item.id}`,
  );

describe('a transcript', () => {
  test('has messages, calls and the items shown for calls, in the order in which they began', () => {
    const lines = [
      begin('t1'),
      said('go'),
      call('a'),
      call('b', 'view_image'),
      shown(command('a'), 'a'),
      output('a', 'ok', { success: true, duration_ms: 1 }),
      output('b', 'no such file', { success: false, duration_ms: 2, failure: 'execution' }),
      said('done', 'assistant'),
      end('t1'),
      said('later'),
    ];
    expect(briefly(...lines)).toEqual(['go', 'command a', 'view_image failed', 'done', 'later']);
    expect(read(...lines).map(({ turnId }) => turnId)).toEqual(['t1', 't1', 't1', 't1', null]);
    expect(read(...lines)[2]?.item).toMatchObject({
      arguments: '{"cmd":"ls"}',
      output: 'no such file',
      failure: 'execution',
    });
  });

  test('of another program has calls with their outputs', () => {
    expect(briefly(said('go'), call('a', 'shell'), output('a', 'x'), call('b', 'shell'))).toEqual([
      'go',
      'shell completed',
      'shell running',
    ]);
  });

  test('shows a command that ended after its turn where it began', () => {
    const lines = [begin('t1'), said('go'), call('a'), output('a', 'runs'), said('done', 'assistant'), end('t1')];
    expect(briefly(...lines, shown(command('a'), 'a'))).toEqual(['go', 'command a', 'done']);
  });

  test('shows a command and its repetition outside the sandbox as two items', () => {
    expect(briefly(call('a'), shown(command('a'), 'a'), shown(command('a 2'), 'a'), output('a', 'x'))).toEqual([
      'command a',
      'command a 2',
    ]);
  });

  test('distinguishes calls whose server reuses an id', () => {
    const lines = [call('a'), shown(command('a', 'first'), 'a'), output('a', 'x')];
    const again = [call('a'), shown(command('a', 'second'), 'a'), output('a', 'y')];
    expect(read(...lines, ...again).map(({ item }) => 'output' in item && item.output)).toEqual(['first', 'second']);
  });

  test('shows the plan of a turn once, in its last version', () => {
    const lines = [
      call('a', 'update_plan'),
      shown(plan('one'), 'a'),
      output('a', 'ok'),
      call('b', 'update_plan'),
      shown(plan('two'), 'b'),
    ];
    expect(read(...lines, output('b', 'ok')).map(({ item }) => item)).toEqual([plan('two')]);
  });

  test('removes rolled back turns that have user input', () => {
    const turn = (id: string) => [begin(id), said(id), said(`answer ${id}`, 'assistant'), end(id)];
    const lines = [...turn('t1'), ...turn('t2'), begin('t3'), end('t3')];
    expect(briefly(...lines, rolledBack(1))).toEqual(['t1', 'answer t1']);
    expect(briefly(...lines, rolledBack(1), ...turn('t4'))).toEqual(['t1', 'answer t1', 't4', 'answer t4']);
    expect(briefly(...lines, rolledBack(9))).toEqual([]);
  });

  test('hides messages that the agent sends in the user’s name', () => {
    expect(briefly(said('<environment_context>\n</environment_context>'), said('go'))).toEqual(['go']);
  });

  test('reads any log without an exception', () => {
    const any = fc.array(
      fc.oneof(
        fc.constantFrom(begin('t1'), end('t1'), said('x'), call('a'), output('a', 'x'), rolledBack(1)),
        fc.record({
          type: fc.constant('oxbow'),
          payload: fc.record({ kind: fc.constant('item'), item: fc.anything() }),
        }),
      ) as fc.Arbitrary<LogLine>,
    );
    fc.assert(fc.property(any, (lines) => void read(...lines)));
  });
});

test('an item in a log has bounded texts', () => {
  const long = 'x'.repeat(100_000);
  expect(briefItem(command('a', long))).toMatchObject({
    output: expect.stringMatching(/^x{2048}…\d+ chars truncated…x{2048}$/),
  });
  const changes = Array.from({ length: 100 }, (_, n) => ({ kind: 'add', path: `/${n}`, diff: long }) as const);
  const brief = briefItem({ type: 'file_change', id: 'a', changes, status: 'completed' });
  expect(JSON.stringify(brief).length).toBeLessThan(80_000);
  expect(brief).toMatchObject({ changes: { length: 100 } });
});
