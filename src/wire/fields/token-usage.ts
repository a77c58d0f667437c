import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import { fieldsOf } from './lenient-fields.ts';

/** The names of a wire for the two directions: `input` and `output`, or `prompt` and `completion`. */
export interface UsageNames {
  readonly input: string;
  readonly output: string;
}

/** Reads the `usage` of a response. Returns null if there is none. Missing and impossible counts are zero. */
export function readUsage(value: unknown, names: UsageNames): Usage | null {
  if (!isRecord(value)) return null;
  const details = (name: string) => fieldsOf(value[`${name}_tokens_details`]);
  const inputTokens = tokenCount(value[`${names.input}_tokens`]) ?? 0;
  const outputTokens = tokenCount(value[`${names.output}_tokens`]) ?? 0;
  return {
    inputTokens,
    cachedInputTokens: tokenCount(details(names.input).cached_tokens) ?? 0,
    cacheWriteInputTokens: tokenCount(details(names.input).cache_write_tokens) ?? 0,
    outputTokens,
    reasoningOutputTokens: tokenCount(details(names.output).reasoning_tokens) ?? 0,
    // A total below the sum of its parts is impossible too.
    totalTokens: Math.max(tokenCount(value.total_tokens) ?? 0, inputTokens + outputTokens),
  };
}

/** Returns a usage with all fields: clients reject a partial one. */
export function writeUsage(usage: Usage, { input, output }: UsageNames): object {
  const { cachedInputTokens: cached_tokens, cacheWriteInputTokens: cache_write_tokens } = usage;
  const written: Record<string, unknown> = {};
  written[`${input}_tokens`] = usage.inputTokens;
  written[`${input}_tokens_details`] = { cached_tokens, cache_write_tokens };
  written[`${output}_tokens`] = usage.outputTokens;
  written[`${output}_tokens_details`] = { reasoning_tokens: usage.reasoningOutputTokens };
  written.total_tokens = usage.totalTokens;
  return written;
}

/** More tokens than any model reads in a year. One such count would spoil all totals of a thread. */
const MOST_TOKENS = 1e12;

/** Returns a number of tokens; undefined if it is missing or impossible. */
export function tokenCount(value: unknown): number | undefined {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MOST_TOKENS ? Number(value) : undefined;
}
