import { expect, test } from 'vitest';
import type { CommandItem, Event, EventBody, FileChangeItem } from '../base/event.ts';
import { NO_USAGE } from '../base/usage.ts';
import { createExecEvents } from './exec-events.ts';

function linesOf(events: readonly EventBody[]): unknown[] {
  const project = createExecEvents();
  return events.flatMap((event, n) => project({ v: 1, seq: n + 1, threadId: 'T', turnId: 'U', ...event } as Event));
}

const command: CommandItem = {
  type: 'command',
  id: 'call_1',
  argv: ['/bin/bash', '-c', "echo 'x'"],
  cwd: '/w',
  output: '',
  exitCode: null,
  durationMs: null,
  status: 'running',
};

test('items are numbered by first appearance and keep their number', () => {
  const lines = linesOf([
    { type: 'thread.started' },
    { type: 'item.started', item: command },
    { type: 'warning', code: 'model', message: 'careful' },
    { type: 'item.completed', item: { type: 'agent_message', id: 'msg_1', text: 'hi' } },
    { type: 'item.completed', item: { ...command, output: 'x\n', exitCode: 3, durationMs: 5, status: 'failed' } },
  ]);
  const shown = { type: 'command_execution', command: `/bin/bash -c "echo 'x'"` };
  expect(lines).toEqual([
    { type: 'thread.started', thread_id: 'T' },
    {
      type: 'item.started',
      item: { id: 'item_0', ...shown, aggregated_output: '', exit_code: null, status: 'in_progress' },
    },
    { type: 'item.completed', item: { id: 'item_1', type: 'error', message: 'careful' } },
    { type: 'item.completed', item: { id: 'item_2', type: 'agent_message', text: 'hi' } },
    {
      type: 'item.completed',
      item: { id: 'item_0', ...shown, aggregated_output: 'x\n', exit_code: 3, status: 'failed' },
    },
  ]);
});

test('events that Codex does not print are not printed', () => {
  expect(
    linesOf([
      { type: 'text.delta', itemId: 'm', delta: 'h' },
      { type: 'command.output', itemId: 'call_1', text: 'x' },
      { type: 'usage', response: null, thread: NO_USAGE },
      { type: 'retry', of: 'request', attempt: 1, max: 4, delayMs: 200, reason: 'refused' },
      {
        type: 'item.completed',
        item: {
          type: 'tool_call',
          id: 'c',
          name: 'n',
          arguments: '{}',
          output: 'x',
          status: 'failed',
          durationMs: 1,
          failure: 'parse',
        },
      },
      { type: 'item.completed', item: { type: 'user_message', id: 'u', text: 'hello', images: 0 } },
      { type: 'item.started', item: { type: 'agent_message', id: 'm', text: '' } },
      { type: 'item.started', item: { type: 'reasoning', id: 'r', text: '' } },
      { type: 'item.dropped', itemId: 'r' },
    ]),
  ).toEqual([]);
});

test('retries and failures are errors; a failed turn says so twice, as Codex does', () => {
  expect(
    linesOf([
      { type: 'retry', of: 'response', attempt: 2, max: 5, delayMs: 400, reason: 'it broke' },
      { type: 'turn.failed', error: { code: 'limit', message: 'enough' } },
    ]),
  ).toEqual([
    { type: 'error', message: 'Reconnecting... 2/5 (it broke)' },
    { type: 'error', message: 'enough' },
    { type: 'turn.failed', error: { message: 'enough' } },
  ]);
});

test('a plan is a to-do list', () => {
  const plan = {
    type: 'plan',
    id: 'plan U',
    explanation: null,
    steps: [
      { step: 'look', status: 'completed' },
      { step: 'repair', status: 'in_progress' },
    ],
  } as const;
  const items = [
    { text: 'look', completed: true },
    { text: 'repair', completed: false },
  ];
  expect(
    linesOf([
      { type: 'item.started', item: plan },
      { type: 'item.updated', item: plan },
      { type: 'item.completed', item: plan },
    ]),
  ).toEqual(
    ['item.started', 'item.updated', 'item.completed'].map((type) => ({
      type,
      item: { id: 'item_0', type: 'todo_list', items },
    })),
  );
});

test('repairs are in the event that ends their turn, one for each kind', () => {
  const repair = {
    type: 'repair',
    id: 'A1',
    title: 'wrong',
    frame: 7,
    callId: null,
    before: 'stop',
    after: 'x',
  } as const;
  const lines = linesOf([
    { type: 'turn.started' },
    repair,
    { ...repair, before: 'later' },
    { type: 'turn.completed', usage: NO_USAGE, finalResponse: '' },
    { type: 'turn.started' },
    { type: 'turn.completed', usage: NO_USAGE, finalResponse: '' },
    { ...repair, id: 'B1' },
    { type: 'turn.failed', error: { code: 'limit', message: 'enough' } },
  ]);
  const usage = expect.any(Object);
  expect(lines).toEqual([
    { type: 'turn.started' },
    {
      type: 'turn.completed',
      usage,
      repairs: [{ id: 'A1', title: 'wrong', times: 2, before: 'stop', after: 'x' }],
    },
    { type: 'turn.started' },
    { type: 'turn.completed', usage },
    { type: 'error', message: 'enough' },
    { type: 'turn.failed', error: { message: 'enough' }, repairs: [expect.objectContaining({ id: 'B1', times: 1 })] },
  ]);
});

test('a patch is a file change; one that was not allowed has failed', () => {
  const changes = [
    { kind: 'add', path: '/w/a', diff: 'diff' },
    { kind: 'update', path: '/w/b', to: '/w/c', diff: 'diff' },
    { kind: 'delete', path: '/w/d', diff: 'diff' },
  ] as const;
  const patch = (status: FileChangeItem['status']) => ({ type: 'file_change', id: 'call_1', changes, status }) as const;
  const line = (type: string, status: string) => ({
    type,
    item: {
      id: 'item_0',
      type: 'file_change',
      changes: [
        { path: '/w/a', kind: 'add' },
        { path: '/w/b', kind: 'update' },
        { path: '/w/d', kind: 'delete' },
      ],
      status,
    },
  });
  expect(
    linesOf([
      { type: 'item.started', item: patch('running') },
      { type: 'item.completed', item: patch('completed') },
      { type: 'item.completed', item: patch('failed') },
      { type: 'item.completed', item: patch('declined') },
      { type: 'turn.diff', diff: 'diff' },
    ]),
  ).toEqual([
    line('item.started', 'in_progress'),
    line('item.completed', 'completed'),
    line('item.completed', 'failed'),
    line('item.completed', 'failed'),
  ]);
});
