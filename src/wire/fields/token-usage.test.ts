import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/harness/runs.ts';
import { INPUT_AND_OUTPUT, readUsage } from './token-usage.ts';

test('counts that no server can have counted are absent', () => {
  for (const odd of [-5, 10.5, 1e308, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '7', null, [], {}]) {
    const usage = {
      input_tokens: 30,
      output_tokens: odd,
      total_tokens: odd,
      input_tokens_details: { cached_tokens: odd },
    };
    expect(readUsage(usage, INPUT_AND_OUTPUT)).toMatchObject({
      inputTokens: 30,
      outputTokens: 0,
      totalTokens: 30,
      cachedInputTokens: 0,
    });
  }
});

test('every usage has counts that can be added', () => {
  const value = fc.oneof(fc.double(), fc.integer(), fc.string(), fc.constantFrom(null, undefined, 5, 1e300, -0.5));
  const usage = fc.record({
    input_tokens: value,
    output_tokens: value,
    total_tokens: value,
    output_tokens_details: fc.oneof(value, fc.record({ reasoning_tokens: value })),
  });
  fc.assert(
    fc.property(usage, (given) => {
      const counts = Object.values(readUsage(given, INPUT_AND_OUTPUT) ?? {});
      expect(counts).toHaveLength(6);
      for (const count of counts) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
    }),
    { numRuns: runs(1000) },
  );
});
