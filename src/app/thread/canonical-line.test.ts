import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { HOSTED_ITEM_TYPES, type Item } from '../../base/item.ts';
import type { LogLine } from '../../base/log.ts';
import { DEFAULT_COMPAT } from '../../base/wire.ts';
import { applyLine } from '../../engine/state/apply-line.ts';
import { emptyState } from '../../engine/state/thread-state.ts';
import { decodeLine, WrongShape } from '../../log/rollout-line.ts';
import { loadWires } from '../../wire/registry.ts';
import { canonicalLine } from './canonical-line.ts';

const part = { type: 'input_text', text: 'x' };
const counts = {
  input_tokens: 3,
  cached_input_tokens: 0,
  output_tokens: 1,
  reasoning_output_tokens: 0,
  total_tokens: 4,
};
const input = { id: 'q', content: [part, { type: 'input_image', image_url: 'data:,', detail: 'high' }] };
const output = { type: 'function_call_output', id: 'o', call_id: 'c', output: 'done' };
const ITEMS: readonly object[] = [
  { type: 'message', id: 'm', role: 'user', content: [part, { type: 'input_file', file_id: 'f' }] },
  { type: 'message', role: 'assistant', phase: 'final_answer', content: [{ type: 'output_text', text: 'y' }] },
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 's' }], content: null, encrypted_content: 'e' },
  { type: 'function_call', id: 'i', name: 'f', namespace: 'n', arguments: '{"a":1}', call_id: 'c' },
  output,
  { type: 'function_call_output', call_id: 'c', output: [part, { type: 'input_image', image_url: 'data:,' }] },
  { type: 'custom_tool_call', name: 'f', input: 'x', call_id: 'd', status: 'completed' },
  { type: 'custom_tool_call_output', call_id: 'd', output: { content: 'wrapped', success: true } },
  { type: 'local_shell_call', call_id: 'l', action: { type: 'exec', command: ['ls'], env: { A: 'b' }, timeout_ms: 1 } },
  ...HOSTED_ITEM_TYPES.map((type) => ({ type, id: 'h', action: { type: 'search', query: 'x' }, status: 'completed' })),
];
const OWN: readonly object[] = [
  { kind: 'call.started', call_id: 'c', read_only: true },
  { kind: 'call.finished', output, metadata: { success: false, duration_ms: 1 } },
  { kind: 'request.started', request: 1, attempt: 0, digest: 'x' },
  { kind: 'prefix.changed', cause: 'tools', instructions: 'Be.', tools: 'y' },
  { kind: 'input.queued', ...input },
  { kind: 'input.edited', ...input },
  { kind: 'input.removed', id: 'q' },
  { kind: 'output.refused', turn_id: 't', faults: ['missing field `a`'] },
  { kind: 'checkpoint', turns: 1, requests: 1, usage: counts, queue: [input], instructions: 'Be.', tools: null },
];
const EVENTS: readonly object[] = [
  { type: 'task_started', turn_id: 't' },
  { type: 'token_count', info: { total_token_usage: counts, last_token_usage: counts } },
  { type: 'thread_rolled_back', num_turns: 1 },
];
const LINES: readonly object[] = [
  { type: 'session_meta', payload: { id: 'i', cwd: '/', timestamp: '2026', base_instructions: { text: 'Base.' } } },
  { type: 'turn_context', payload: { turn_id: 't', cwd: '/', model: 'm', summary: 'none' } },
  ...ITEMS.map((payload) => ({ type: 'response_item', payload, metadata: { success: false, queued: 'q' } })),
  ...EVENTS.map((payload) => ({ type: 'event_msg', payload })),
  { type: 'compacted', payload: { message: 'short', replacement_history: ITEMS } },
  { type: 'compacted', payload: { message: 'short' } },
  ...OWN.map((payload) => ({ type: 'oxbow', payload })),
];

const wrong = fc.constantFrom<unknown>(
  ...[null, true, -1, 1.5, '', 'c', 'compaction', '\ud800', [], [null], [[]], {}],
  ...[{ type: 'input_text' }, { type: 'message' }, [{ type: 5 }], { text: {} }, { content: [] }, { length: 3 }],
);
/** A valid line, some of whose values are replaced or removed. */
const line = fc
  .record({
    line: fc.constantFrom(...LINES),
    changes: fc.array(fc.tuple(fc.nat(999), fc.option(wrong)), { maxLength: 2 }),
  })
  .map(({ line: whole, changes }) => changes.reduce((changed, [at, value]) => change(changed, at, value), whole));

/** Replaces the n-th value of an object at any depth. Null removes the value. */
function change(whole: object, at: number, value: unknown): object {
  const copy = structuredClone(whole);
  const places: [Record<string, unknown>, string][] = [];
  collect(copy as Record<string, unknown>);
  const [owner, name] = places[at % places.length] ?? [{}, ''];
  if (value === null) delete owner[name];
  else owner[name] = value;
  return copy;

  function collect(object: Record<string, unknown>): void {
    for (const [key, field] of Object.entries(object)) {
      places.push([object, key]);
      if (typeof field === 'object' && field !== null) collect(field as Record<string, unknown>);
    }
  }
}

test('a line that passes can be folded and sent, whatever the file contains', async () => {
  const wires = [...(await loadWires()).values()];
  let passed = 0;
  let stopped = 0;
  // Fewer may have too few lines of a kind by chance.
  const count = Math.max(runs(1000), 60);
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const state = emptyState();
      for (const one of lines) {
        const kept = passes(JSON.stringify(one));
        if (kept) applyLine(state, kept);
        if (kept) passed++;
        else stopped++;
      }
      expect(typeof (state.instructions ?? '')).toBe('string');
      expect(Object.values(state.usage).every(Number.isFinite)).toBe(true);
      for (const wire of wires) wire.encodeRequest(requestOf(state.history), DEFAULT_COMPAT);
    }),
    { numRuns: count },
  );
  expect(passed).toBeGreaterThan(count);
  expect(stopped).toBeGreaterThan(count / 5);
});

/** Decodes a line as the store does: a damaged line is skipped. Any other error is a failure. */
function passes(text: string): LogLine | undefined {
  try {
    const decoded = decodeLine(text);
    return decoded && canonicalLine(decoded);
  } catch (error) {
    expect(error).toBeInstanceOf(WrongShape);
    return undefined;
  }
}

function requestOf(input: readonly Item[]) {
  return {
    model: 'm',
    instructions: '',
    input,
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    reasoning: {},
    store: false,
    include: [],
  } as const;
}

test('an item that is nested too deep is rejected', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const text = `{"type":"response_item","payload":{"type":"web_search_call","action":${deep}}}`;
  expect(() => canonicalLine(decodeLine(text) as LogLine)).toThrow('its item is damaged');
});

test('items that are not sent back are skipped silently, damaged items with a reason', () => {
  const item = (payload: object) => canonicalLine({ type: 'response_item', payload } as LogLine);
  expect(item({ type: 'ghost_snapshot', ghost_commit: {} })).toBeUndefined();
  expect(() => item({ type: 'function_call', name: 'f' })).toThrow('its item is damaged');
  expect(() => item({ type: 'message', role: 'robot', content: [] })).toThrow('its item is damaged');
});

test('unknown fields next to an item are dropped', () => {
  const payload = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }], internal: { a: 1 } };
  expect(canonicalLine({ type: 'response_item', payload } as unknown as LogLine)).toEqual({
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
  });
});
