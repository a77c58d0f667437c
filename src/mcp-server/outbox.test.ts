import { expect, test, vi } from 'vitest';
import { createOutbox } from './outbox.ts';

const MEGABYTE = 'x'.repeat(1024 * 1024);

test('messages leave in the order in which they came', () => {
  const outbox = createOutbox(() => {});
  outbox.push({ type: 'task_started' });
  outbox.push({ type: 'task_complete' });
  expect([outbox.shift()?.type, outbox.shift()?.type, outbox.shift()]).toEqual([
    'task_started',
    'task_complete',
    undefined,
  ]);
});

test('above a megabyte, deltas are dropped until the client has read', () => {
  const outbox = createOutbox(() => {});
  outbox.push({ type: 'agent_message', message: MEGABYTE });
  outbox.push({ type: 'agent_message_delta', delta: 'a' });
  outbox.push({ type: 'task_complete' });
  expect(outbox.shift()?.type).toBe('agent_message');
  outbox.push({ type: 'agent_message_delta', delta: 'b' });
  expect([outbox.shift()?.type, outbox.shift()]).toEqual([
    'task_complete',
    { type: 'agent_message_delta', delta: 'b' },
  ]);
});

test('a client that reads nothing is given up at 16 MB, once, and nothing is kept for it', () => {
  const onFull = vi.fn();
  const outbox = createOutbox(onFull);
  for (let n = 0; n < 40; n++) outbox.push({ type: 'agent_message', message: MEGABYTE });
  expect(onFull.mock.calls).toEqual([[16]]);
  expect(outbox.isEmpty).toBe(true);
});
