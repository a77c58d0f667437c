import type { EncodeStreamOptions } from '../base/wire.ts';
import type { Fields } from '../wire/request-fields.ts';
import type { AskedRequest } from './read-request.ts';

/** How a client hears of an answer that is put into its own words. */
export function encodingOf(asked: AskedRequest, createdAt: number): EncodeStreamOptions {
  const { model, includeUsage, original } = asked;
  if (asked.wire.name === 'chat') return { model, createdAt, includeUsage };
  const { include } = original;
  return {
    model,
    createdAt,
    includeUsage,
    sealReasoning: Array.isArray(include) && include.includes('reasoning.encrypted_content'),
    repeated: repeatedIn(original),
  };
}

function repeatedIn(original: Fields): Fields {
  const repeated: Record<string, unknown> = {};
  for (const name of REPEATED) if (original[name] !== undefined) repeated[name] = original[name];
  return repeated;
}

/** Tools and instructions may be long, and come back with every request: nobody needs them in every response too. */
const REPEATED = [
  'max_output_tokens',
  'metadata',
  'parallel_tool_calls',
  'previous_response_id',
  'prompt_cache_key',
  'reasoning',
  'store',
  'temperature',
  'text',
  'tool_choice',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
];
