/**
 * Tokens of one request, or the sum over a thread. `inputTokens` includes cached tokens, `outputTokens` includes
 * reasoning tokens.
 */
export interface Usage {
  /** Tokens of the requests. */
  readonly inputTokens: number;
  /** The part of the input that the server had in its cache. */
  readonly cachedInputTokens: number;
  /** The part of the input that the server put into its cache. */
  readonly cacheWriteInputTokens: number;
  /** Tokens of the responses. */
  readonly outputTokens: number;
  /** The part of the output that is reasoning. */
  readonly reasoningOutputTokens: number;
  /** Input and output together. */
  readonly totalTokens: number;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
  totalTokens: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheWriteInputTokens: a.cacheWriteInputTokens + b.cacheWriteInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningOutputTokens: a.reasoningOutputTokens + b.reasoningOutputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
}
