import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';

/** The `usage` of a response. Null when the server counted nothing; what it left out is zero. */
export function readUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const input = isRecord(value.input_tokens_details) ? value.input_tokens_details : {};
  const output = isRecord(value.output_tokens_details) ? value.output_tokens_details : {};
  const inputTokens = count(value.input_tokens) ?? 0;
  const outputTokens = count(value.output_tokens) ?? 0;
  return {
    inputTokens,
    cachedInputTokens: count(input.cached_tokens) ?? 0,
    cacheWriteInputTokens: count(input.cache_write_tokens) ?? 0,
    outputTokens,
    reasoningOutputTokens: count(output.reasoning_tokens) ?? 0,
    totalTokens: count(value.total_tokens) ?? inputTokens + outputTokens,
  };
}

/** All fields or none: clients reject a usage that is only half there. */
export function writeUsage(usage: Usage | null): object | null {
  if (usage === null) return null;
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteInputTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningOutputTokens },
    total_tokens: usage.totalTokens,
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
