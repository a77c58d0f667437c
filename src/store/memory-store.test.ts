import { expect, test } from 'vitest';
import type { LogLine, SessionMeta } from '../base/log.ts';
import { applyLine } from '../engine/state/apply-line.ts';
import { emptyState, type ThreadState } from '../engine/state/thread-state.ts';
import { toTokenCounts } from '../engine/state/token-counts.ts';
import { decodeLines } from '../log/decode-lines.ts';
import { event, said } from '../log/test-lines.ts';
import { createMemoryStore } from './memory-store.ts';

const meta = { id: 'one', cwd: '/', timestamp: '2026-01-02T03:04:05.000Z' } as SessionMeta;

/** Returns the lines of a turn that ends with a compaction of this state. */
function compactedTurn(n: number, { usage, ...state }: ThreadState): readonly LogLine[] {
  const { turns, requests, queue, instructions, tools } = state;
  const checkpoint = {
    turns: turns + 1,
    requests,
    usage: toTokenCounts(usage),
    queue: [...queue],
    instructions,
    tools,
  };
  const context = {
    turn_id: `t${n}`,
    cwd: '/',
    approval_policy: 'never',
    sandbox_policy: {},
    model: `m${n}`,
    summary: '',
  };
  return [
    event('task_started', { turn_id: `t${n}` }),
    { type: 'turn_context', payload: context },
    ...Array.from({ length: 20 }, (_, m) => said(`${n} ${m}`)),
    { type: 'oxbow', payload: { kind: 'checkpoint', ...checkpoint } },
    { type: 'compacted', payload: { message: '', replacement_history: [said(`short ${n}`).payload as never] } },
  ];
}

test('a thread keeps the lines that its state folds from, and does not grow with its turns', async () => {
  const store = createMemoryStore();
  const log = store.create('one');
  const state = emptyState();
  const add = async (lines: readonly LogLine[]) => {
    await log.append(lines);
    for (const line of lines) applyLine(state, line);
  };
  await add([{ type: 'session_meta', payload: meta }]);
  for (let n = 0; n < 50; n++) await add(compactedTurn(n, state));
  await add([event('task_started', { turn_id: 'last' }), said('the last')]);
  await log.close();
  const { lines } = await store.take('one');
  const folded = emptyState();
  let count = 0;
  for await (const { line } of decodeLines(lines, (one) => one)) {
    count++;
    applyLine(folded, line);
  }
  expect(count).toBe(6);
  expect(folded).toEqual(state);
});
