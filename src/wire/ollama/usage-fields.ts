import type { Usage } from '../../base/usage.ts';
import { isSet } from '../fields/lenient-fields.ts';
import type { Fields } from '../fields/request-fields.ts';
import { INPUT_AND_OUTPUT, readUsage as read } from '../fields/token-usage.ts';

/**
 * Reads the counts of the last line. Returns null if there are none. Servers leave out a count of zero, such as that of
 * a prompt that is in the cache.
 */
export function readUsage({ prompt_eval_count, eval_count }: Fields): Usage | null {
  if (!isSet(prompt_eval_count) && !isSet(eval_count)) return null;
  return read({ input_tokens: prompt_eval_count, output_tokens: eval_count }, INPUT_AND_OUTPUT);
}

/**
 * Returns the counts and durations of the last line. Durations are zero, because no other protocol reports them, and
 * present, because clients calculate with them.
 */
export function writeUsage(usage: Usage | null): Fields {
  return {
    total_duration: 0,
    load_duration: 0,
    ...(usage !== null && { prompt_eval_count: usage.inputTokens }),
    prompt_eval_duration: 0,
    ...(usage !== null && { eval_count: usage.outputTokens }),
    eval_duration: 0,
  };
}
