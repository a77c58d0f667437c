import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';

/** The `usage` of a response. Null when the server counted nothing; what it left out is zero. */
export function readUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const input = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const output = isRecord(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const inputTokens = count(value.prompt_tokens) ?? 0;
  const outputTokens = count(value.completion_tokens) ?? 0;
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
export function writeUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteInputTokens,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningOutputTokens },
  };
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
