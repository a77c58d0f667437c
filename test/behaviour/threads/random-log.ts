import fc from 'fast-check';
import type { Item } from '../../../src/base/item.ts';
import type { LogLine, TokenCounts } from '../../../src/base/log.ts';
import { applyLine } from '../../../src/engine/state/apply-line.ts';
import { emptyState, type ThreadState } from '../../../src/engine/state/thread-state.ts';
import { toTokenCounts } from '../../../src/engine/state/token-counts.ts';

/** A future line, which may depend on all lines before it, or a text that is written unchanged. */
export type Step = { readonly line: (state: ThreadState) => LogLine; readonly style: Style } | { readonly raw: string };

/** The form in which its writer stores a line. */
type Style = 'ours' | 'unnumbered' | 'other order';

const id = fc.constantFrom('a', 'b', 'c');
const text = fc.oneof(
  fc.constantFrom('hello', '<environment_context>x', 'äöü \u2028', '"queued":"a"', '\n'),
  fc.string(),
);
const counts = fc.nat(1000).map((n): TokenCounts => {
  const none = { cached_input_tokens: 0, cache_write_input_tokens: 0, reasoning_output_tokens: 0 };
  return { ...none, input_tokens: n, output_tokens: 1, total_tokens: n + 1 };
});

const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'developer'), text }).map(
  ({ role, text: words }): Item => ({
    type: 'message',
    role: role as 'user',
    content: [role === 'assistant' ? { type: 'output_text', text: words } : { type: 'input_text', text: words }],
  }),
);
const item: fc.Arbitrary<Item> = fc.oneof(
  message,
  id.map((call_id): Item => ({ type: 'function_call', name: 'f', arguments: '{}', call_id })),
  id.map((call_id): Item => ({ type: 'function_call_output', call_id, output: 'done' })),
  id.map((call_id): Item => ({ type: 'custom_tool_call', name: 'g', input: 'x', call_id })),
  text.map(
    (words): Item => ({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: words }],
      content: null,
      encrypted_content: null,
    }),
  ),
);
const content = text.map((words) => [{ type: 'input_text', text: words }] as const);

const line: fc.Arbitrary<(state: ThreadState) => LogLine> = fc.oneof(
  { weight: 8, arbitrary: item.map((payload) => () => ({ type: 'response_item', payload }) as const) },
  fc.record({ payload: message, queued: id }).map(
    ({ payload, queued }) =>
      () =>
        ({ type: 'response_item', payload, metadata: { queued } }) as const,
  ),
  id.map((turn_id) => () => ({ type: 'event_msg', payload: { type: 'task_started', turn_id } }) as const),
  fc.nat(3).map((n) => () => ({ type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: n } }) as const),
  counts.map((total) => () => {
    const info = { total_token_usage: total, last_token_usage: total };
    return { type: 'event_msg', payload: { type: 'token_count', info } } as const;
  }),
  id.map((model) => () => {
    const policies = { approval_policy: 'never', sandbox_policy: { type: 'read-only' }, summary: 'none' };
    return { type: 'turn_context', payload: { turn_id: 't', cwd: '/', model, ...policies } } as const;
  }),
  fc
    .array(item, { maxLength: 4 })
    .map(
      (history) => () => ({ type: 'compacted', payload: { message: 'short', replacement_history: history } }) as const,
    ),
  text.map((words) => () => ({ type: 'compacted', payload: { message: words } }) as const),
  fc.constant((state: ThreadState) => {
    const { turns, requests, usage, queue, instructions, tools } = state;
    const payload = { turns, requests, usage: toTokenCounts(usage), queue: [...queue], instructions, tools };
    return { type: 'oxbow', payload: { kind: 'checkpoint', ...payload } } as const;
  }),
  own(id.map((call_id) => ({ kind: 'call.started', call_id }) as const)),
  own(
    id.map((call_id) => {
      const output = { type: 'function_call_output', call_id, output: 'finished' } as const;
      return { kind: 'call.finished', output, metadata: { success: true, duration_ms: 1 } } as const;
    }),
  ),
  own(fc.nat(99).map((request) => ({ kind: 'request.started', request, attempt: 0 }) as const)),
  own(fc.nat(99).map((request) => ({ kind: 'request.ended', request, ms: 1 }) as const)),
  own(
    fc
      .record(
        { cause: fc.constantFrom('start', 'rollback', 'tools', 'compaction'), instructions: text, tools: text },
        { requiredKeys: ['cause'] },
      )
      .map((changed) => ({ kind: 'prefix.changed', ...(changed as { cause: 'start' }) }) as const),
  ),
  own(fc.record({ id, content }).map((input) => ({ kind: 'input.queued', ...input }) as const)),
  own(fc.record({ id, content }).map((input) => ({ kind: 'input.edited', ...input }) as const)),
  own(id.map((queued) => ({ kind: 'input.removed', id: queued }) as const)),
  own(text.map((fault) => ({ kind: 'output.refused', turn_id: 't', faults: [fault] }) as const)),
);

function own<T extends (LogLine & { type: 'oxbow' })['payload']>(payload: fc.Arbitrary<T>) {
  return payload.map((one) => () => ({ type: 'oxbow', payload: one }) as const);
}

const raw = fc.constantFrom(
  '',
  'garbage',
  '\u0000\u0000',
  'null',
  '[]',
  '{"type":"compacted"}',
  '{"timestamp":"2026","ordinal":1,"type":"compacted","payload":{"replacement_history":5}}',
  '{"timestamp":"2026","ordinal":1,"type":"compacted","payload":{"replacement_history":[]',
  '{"timestamp":"2026","ordinal":1,"type":"event_msg","payload":{"type":"task_started"',
  '{"timestamp":"2026","ordinal":1,"type":"event_msg","payload":{"type":"token_count","info":null}}',
  '{"timestamp":"2026","ordinal":1,"type":"event_msg","payload":{"type":"token_count","info":{}}}',
  '{"timestamp":"2026","ordinal":1,"type":"oxbow","payload":{"kind":"checkpoint"}}',
  '{"timestamp":"2026","ordinal":1,"type":"oxbow","payload":{"kind":"call.finished"}}',
  '{"timestamp":"2026","ordinal":1,"type":"turn_context","payload":{}}',
  '{"timestamp":"2026","ordinal":1,"type":"world_state","payload":{"full":true}}',
  '{"timestamp":"2026","type":"event_msg","payload":{"type":"item_completed","item":{}}}',
);

/** The lines of a log after its first, as wild as other programs, crashes and bad disks may leave them. */
export const someSteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.record({ line, style: fc.constantFrom<Style>('ours', 'ours', 'unnumbered', 'other order') }),
    },
    { weight: 1, arbitrary: raw.map((words) => ({ raw: words })) },
  ),
  { maxLength: 40, size: 'max' },
);

/** Returns the steps as texts of lines. The first of them gets this ordinal. */
export function writeSteps(meta: LogLine, steps: readonly Step[]): string[] {
  const state = emptyState();
  applyLine(state, meta);
  return steps.map((step, n) => {
    if ('raw' in step) return step.raw;
    const made = step.line(state);
    applyLine(state, made);
    return lineText(made, n + 1, step.style);
  });
}

export function lineText(made: LogLine, ordinal: number, style: Style = 'ours'): string {
  const timestamp = '2026-01-02T03:04:05.678Z';
  if (style === 'other order') return JSON.stringify({ ...made, ordinal, timestamp });
  return JSON.stringify({ timestamp, ...(style === 'ours' ? { ordinal } : {}), ...made });
}
