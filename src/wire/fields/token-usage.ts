import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import { fieldsOf } from './lenient-fields.ts';

/** The names of a wire for the two directions. */
export interface UsageNames {
  readonly input: string;
  readonly inputDetails: string;
  readonly output: string;
  readonly outputDetails: string;
}

export const INPUT_AND_OUTPUT: UsageNames = {
  input: 'input_tokens',
  inputDetails: 'input_tokens_details',
  output: 'output_tokens',
  outputDetails: 'output_tokens_details',
};

export const PROMPT_AND_COMPLETION: UsageNames = {
  input: 'prompt_tokens',
  inputDetails: 'prompt_tokens_details',
  output: 'completion_tokens',
  outputDetails: 'completion_tokens_details',
};

/** Reads the `usage` of a response. Returns null if there is none. Missing and impossible counts are zero. */
export function readUsage(value: unknown, names: UsageNames): Usage | null {
  if (!isRecord(value)) return null;
  const { cached_tokens, cache_write_tokens } = fieldsOf(value[names.inputDetails]);
  const { reasoning_tokens } = fieldsOf(value[names.outputDetails]);
  const inputTokens = tokenCount(value[names.input]) ?? 0;
  const outputTokens = tokenCount(value[names.output]) ?? 0;
  return {
    inputTokens,
    cachedInputTokens: tokenCount(cached_tokens) ?? 0,
    cacheWriteInputTokens: tokenCount(cache_write_tokens) ?? 0,
    outputTokens,
    reasoningOutputTokens: tokenCount(reasoning_tokens) ?? 0,
    // A total below the sum of its parts is impossible too.
    totalTokens: Math.max(tokenCount(value.total_tokens) ?? 0, inputTokens + outputTokens),
  };
}

/** Returns a usage with all fields: clients reject a partial one. */
export function writeUsage(usage: Usage, names: UsageNames): object {
  const { cachedInputTokens: cached_tokens, cacheWriteInputTokens: cache_write_tokens } = usage;
  const written: Record<string, unknown> = {};
  written[names.input] = usage.inputTokens;
  written[names.inputDetails] = { cached_tokens, cache_write_tokens };
  written[names.output] = usage.outputTokens;
  written[names.outputDetails] = { reasoning_tokens: usage.reasoningOutputTokens };
  written.total_tokens = usage.totalTokens;
  return written;
}

/** More tokens than any model reads in a year. One such count would spoil all totals of a thread. */
const MOST_TOKENS = 1e12;

/** Returns a number of tokens; undefined if it is missing or impossible. */
export function tokenCount(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKENS ? Number(value) : undefined;
}
