import type { TokenCounts } from '../../base/log.ts';
import type { Usage } from '../../base/usage.ts';

/** Returns tokens in the form of a log line. */
export function toTokenCounts(usage: Usage): TokenCounts {
  return {
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_input_tokens: usage.cacheWriteInputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningOutputTokens,
    total_tokens: usage.totalTokens,
  };
}

export function fromTokenCounts(counts: TokenCounts): Usage {
  return {
    inputTokens: counts.input_tokens,
    cachedInputTokens: counts.cached_input_tokens,
    cacheWriteInputTokens: counts.cache_write_input_tokens ?? 0,
    outputTokens: counts.output_tokens,
    reasoningOutputTokens: counts.reasoning_output_tokens,
    totalTokens: counts.total_tokens,
  };
}
