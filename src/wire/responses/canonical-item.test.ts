import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { canonicalItem } from './canonical-item.ts';
import { anyItem, anyJson } from './fixtures/arbitrary-items.ts';

test('a canonical item is unchanged, including the order of its fields', () => {
  fc.assert(
    fc.property(anyItem, (item) => {
      expect(JSON.stringify(canonicalItem(item))).toBe(JSON.stringify(item));
    }),
    { numRuns: runs(500) },
  );
});

test('any value is an item or undefined', () => {
  const nearly = fc
    .tuple(anyItem, fc.dictionary(fc.constantFrom('type', 'id', 'content', 'output', 'action', 'x'), anyJson))
    .map(([item, changes]) => ({ ...item, ...changes }));
  fc.assert(
    fc.property(fc.oneof(anyJson, nearly), (value) => {
      const item = canonicalItem(value);
      if (item !== undefined) expect(JSON.stringify(canonicalItem(item))).toBe(JSON.stringify(item));
    }),
    { numRuns: runs(1000) },
  );
});

describe('only the known fields of a type stay', () => {
  test('a message loses its status and its parts their annotations', () => {
    const part = { type: 'output_text', annotations: [], logprobs: [], text: 'hi' };
    const message = { id: 'm', type: 'message', status: 'completed', content: [part], phase: 'commentary' };
    expect(canonicalItem({ ...message, role: 'assistant' })).toStrictEqual({
      id: 'm',
      type: 'message',
      content: [{ type: 'output_text', text: 'hi' }],
      phase: 'commentary',
      role: 'assistant',
    });
  });

  test('a function call loses its status, a custom call keeps it', () => {
    const call = { type: 'function_call', name: 'f', namespace: null, arguments: '{}', call_id: 'c', status: 'x' };
    expect(canonicalItem(call)).toStrictEqual({ type: 'function_call', name: 'f', arguments: '{}', call_id: 'c' });
    const custom = { type: 'custom_tool_call', name: 'f', input: '', call_id: 'c', status: 'completed' };
    expect(canonicalItem(custom)).toStrictEqual(custom);
  });

  test('the action of a local shell call loses nulls', () => {
    const action = { type: 'exec', command: ['ls'], timeout_ms: null, env: {}, user: null };
    const call = { type: 'local_shell_call', id: 'l', call_id: 'c', action };
    expect(canonicalItem(call)).toStrictEqual({ ...call, action: { type: 'exec', command: ['ls'], env: {} } });
  });

  test('items of tools that the server runs stay whole', () => {
    const search = { type: 'web_search_call', status: 'completed', action: { query: 'x', sources: [1] } };
    expect(canonicalItem(search)).toBe(search);
    expect(canonicalItem({ type: 'compaction_summary', encrypted_content: 'e' })).toStrictEqual({
      type: 'compaction',
      encrypted_content: 'e',
    });
  });
});

describe('reasoning', () => {
  const empty = { type: 'reasoning', summary: [], content: null, encrypted_content: null };

  test('gets explicit values for missing fields', () => {
    expect(canonicalItem({ type: 'reasoning' })).toStrictEqual(empty);
  });

  test('keeps its texts and drops unknown parts', () => {
    const content = [{ type: 'reasoning_text', text: 'a', extra: 1 }, { type: 'hum' }, { type: 'text', text: 'b' }];
    expect(canonicalItem({ type: 'reasoning', content })).toStrictEqual({
      ...empty,
      content: [
        { type: 'reasoning_text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    });
    expect(canonicalItem({ type: 'reasoning', content: [{ type: 'hum' }] })).toStrictEqual(empty);
  });
});

describe('outputs', () => {
  const output = (value: unknown) => {
    const item = canonicalItem({ type: 'function_call_output', call_id: 'c', output: value });
    return item && 'output' in item ? item.output : undefined;
  };

  test('a single text is a string', () => {
    expect(output([{ type: 'input_text', text: 'a' }])).toBe('a');
    expect(output({ content: [{ type: 'input_text', text: 'a' }] })).toBe('a');
  });

  test('several parts stay a list', () => {
    const parts = [
      { type: 'input_text', text: 'a' },
      { type: 'input_image', image_url: 'data:' },
    ];
    expect(output(parts)).toStrictEqual(parts);
  });

  test('unknown parts leave an empty text, so that the call keeps its output', () => {
    expect(output([{ type: 'hum' }])).toBe('');
  });

  test.each([[undefined], [null], [3], [{}], [{ content: { content: 'deep' } }]])('%j is not an output', (value) => {
    expect(output(value)).toBeUndefined();
  });
});

test('a call without a call id uses its item id', () => {
  const call = { type: 'function_call', id: 'fc_1', name: 'f', arguments: '' };
  expect(canonicalItem(call)).toStrictEqual({ ...call, call_id: 'fc_1' });
});

test.each([
  [{ type: 'function_call', call_id: 'c', name: 'f', arguments: { a: 1 } }],
  [{ type: 'function_call', call_id: 'c', name: 'f' }],
  [{ type: 'function_call', call_id: 'c', arguments: '{}' }],
  [{ type: 'function_call', name: 'f', arguments: '{}' }],
  [{ type: 'custom_tool_call', call_id: 'c', name: 'f' }],
  [{ type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: 'ls' } }],
  [{ type: 'message', role: 'stranger', content: [] }],
  [{ type: 'message', role: 'user' }],
  [{ type: 'message', role: 'user', content: [{ type: 'hum' }] }],
  [{ type: 'crystal_ball_call', id: 'x' }],
  [{ type: 'constructor' }],
  [{ type: '__proto__' }],
  [{}],
  [null],
  ['message'],
])('%j is not an item', (value) => {
  expect(canonicalItem(value)).toBeUndefined();
});
