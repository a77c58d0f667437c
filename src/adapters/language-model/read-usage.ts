import type { Usage } from '../../base/usage.ts';
import { fieldsOf } from '../../wire/fields/lenient-fields.ts';

/** Reads the tokens of a response, in the shape of either version. Null if the provider did not count them. */
export function readUsage(value: unknown): Usage | null {
  const usage = fieldsOf(value);
  const input = fieldsOf(usage.inputTokens);
  const output = fieldsOf(usage.outputTokens);
  const inputTokens = firstNumber(usage.inputTokens, input.total);
  const outputTokens = firstNumber(usage.outputTokens, output.total);
  if (inputTokens === undefined && outputTokens === undefined) return null;
  return {
    inputTokens: inputTokens ?? 0,
    cachedInputTokens: firstNumber(usage.cachedInputTokens, input.cacheRead) ?? 0,
    cacheWriteInputTokens: firstNumber(input.cacheWrite) ?? 0,
    outputTokens: outputTokens ?? 0,
    reasoningOutputTokens: firstNumber(usage.reasoningTokens, output.reasoning) ?? 0,
    totalTokens: (inputTokens ?? 0) + (outputTokens ?? 0),
  };
}

function firstNumber(...values: readonly unknown[]): number | undefined {
  return values.find((value) => typeof value === 'number' && Number.isFinite(value)) as number | undefined;
}
