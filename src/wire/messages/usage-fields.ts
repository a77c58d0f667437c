import { isRecord } from '../../base/json-schema.ts';
import type { Usage } from '../../base/usage.ts';
import { fieldsOf, isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { tokenCount } from '../fields/token-usage.ts';

/**
 * Reads the `usage` of a message. The three counts of its input are parts of one sum on this wire (I6). Zeros alone stand
 * for an unknown usage: no message is without tokens, and clients need the counts.
 */
export function readUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const cachedInputTokens = tokenCount(value.cache_read_input_tokens) ?? 0;
  const cacheWriteInputTokens = tokenCount(value.cache_creation_input_tokens) ?? 0;
  const inputTokens = (tokenCount(value.input_tokens) ?? 0) + cachedInputTokens + cacheWriteInputTokens;
  const outputTokens = tokenCount(value.output_tokens) ?? 0;
  if (inputTokens + outputTokens === 0) return null;
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteInputTokens,
    outputTokens,
    reasoningOutputTokens: tokenCount(fieldsOf(value.output_tokens_details).thinking_tokens) ?? 0,
    totalTokens: inputTokens + outputTokens,
  };
}

/** Returns the usage of a message. Clients read it without a test, so an unknown usage has zeros. */
export function writeUsage(usage: Usage | null): Fields {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteInputTokens = 0, outputTokens = 0 } = usage ?? {};
  const thinking = usage?.reasoningOutputTokens ?? 0;
  return {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens - cacheWriteInputTokens),
    cache_creation_input_tokens: cacheWriteInputTokens,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
    ...(thinking > 0 && { output_tokens_details: { thinking_tokens: thinking } }),
  };
}

/** Returns the usage so far. The counts of later events are totals, and a count that is left out stays. */
export function mergeUsage(known: Fields | undefined, next: unknown): Fields | undefined {
  if (!isRecord(next)) return known;
  return { ...known, ...Object.fromEntries(Object.entries(next).filter(([, count]) => isSet(count))) };
}
