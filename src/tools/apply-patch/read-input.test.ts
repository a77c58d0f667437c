import { describe, expect, test } from 'vitest';
import type { ToolCall, ToolPayload } from '../../base/tool.ts';
import { readInput } from './read-input.ts';

const PATCH = '*** Begin Patch\n*** Delete File: a\n*** End Patch\n';
const call = (payload: ToolPayload): ToolCall => ({ callId: 'c', name: 'apply_patch', payload });
const custom = (input: string) => readInput(call({ kind: 'custom', input }));
const asFunction = (args: string) => readInput(call({ kind: 'function', arguments: args }));

describe('the patch is read', () => {
  test.each([
    PATCH,
    JSON.stringify(PATCH),
    JSON.stringify({ input: PATCH }),
    JSON.stringify({ patch: PATCH }),
    JSON.stringify({ command: ['apply_patch', PATCH] }),
    JSON.stringify({ input: null, patch: PATCH }),
    ` ${JSON.stringify(['applypatch', PATCH])}`,
  ])('from %j, in a call of any kind', (text) => {
    expect(custom(text)).toBe(PATCH);
    expect(asFunction(text)).toBe(PATCH);
  });

  test('as it is when it only looks like JSON', () => {
    expect(custom('{ not json')).toBe('{ not json');
  });
});

describe('the model learns', () => {
  test.each(['{}', '{"input":5}', '["ls","x"]', '{"text":"x"}'])('that %s has no patch', (text) => {
    const reason = 'failed to parse function arguments: missing field `input`';
    expect(() => custom(text)).toThrow(reason);
    expect(() => asFunction(text)).toThrow(reason);
  });

  test('that broken arguments are not JSON', () => {
    expect(() => asFunction('{"input": "*** Begin')).toThrow(/^failed to parse function arguments: .*JSON/);
  });
});
