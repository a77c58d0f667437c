import { isRecord } from '../../base/json-schema.ts';
import type { Fields } from '../../wire/fields/request-fields.ts';
import { PROMPT_AND_COMPLETION, readUsage } from '../../wire/fields/token-usage.ts';
import type { RepairReporter } from '../report.ts';

/**
 * Returns a usage that every client can read (H8): clients read its counts without asking whether they are there. The
 * same value if it has these counts.
 */
export function soundUsage(usage: unknown, counts: readonly string[], reporter: RepairReporter): Fields {
  const sound = withCounts(usage, counts);
  if (sound !== usage) reporter.report('H8', { before: usage ?? null, after: sound });
  return sound;
}

function withCounts(usage: unknown, counts: readonly string[]): Fields {
  if (!isRecord(usage)) return Object.fromEntries(counts.map((name) => [name, 0]));
  const isForeign = usage.input_tokens === undefined && usage.output_tokens === undefined;
  const counted = isForeign && (isCount(usage.prompt_tokens) || isCount(usage.completion_tokens));
  const known = counted ? { ...usage, ...ownCounts(usage) } : usage;
  const missing = counts.filter((name) => !isCount(known[name]));
  if (missing.length === 0) return known;
  return { ...known, ...Object.fromEntries(missing.map((name) => [name, 0])) };
}

/** Returns the counts of a chat usage in the names of this wire. The input counts of this wire are added up (I6). */
function ownCounts(usage: Fields): Fields {
  const read = readUsage(usage, PROMPT_AND_COMPLETION);
  if (read === null) return {};
  const { inputTokens, cachedInputTokens, outputTokens } = read;
  return {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens),
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
  };
}

function isCount(value: unknown): boolean {
  return typeof value === 'number';
}
