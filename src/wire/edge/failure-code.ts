/**
 * Returns the code of a failure for clients of the Responses wire. These clients know few codes, and retry after any
 * other. Codes of servers and our own codes are mapped to the known ones.
 */
export function failureCode(code: string | null, message: string): string {
  if (isTooLong(code, message)) return 'context_length_exceeded';
  return (code !== null && CODES.get(code)) || (code ?? 'server_error');
}

const INVALID = 'invalid_prompt';
const RATE = 'rate_limit_exceeded';
const QUOTA = 'insufficient_quota';
const OVERLOADED = 'server_is_overloaded';

const CODES: ReadonlyMap<string, string> = new Map([
  ['400', INVALID],
  ['422', INVALID],
  ['bad_request', INVALID],
  ['invalid_request', INVALID],
  ['invalid_request_error', INVALID],
  ['rejected', INVALID],
  ['content_policy_violation', INVALID],
  // Another attempt with the same key or the same name would fail too.
  ['401', INVALID],
  ['403', INVALID],
  ['404', INVALID],
  ['auth', INVALID],
  ['upstream_auth', INVALID],
  ['not_found', INVALID],
  ['authentication_error', INVALID],
  ['invalid_api_key', INVALID],
  ['permission_error', INVALID],
  ['model_not_found', INVALID],
  ['402', QUOTA],
  ['quota_exceeded', QUOTA],
  ['billing_error', QUOTA],
  ['billing_hard_limit_reached', QUOTA],
  ['usage_limit_reached', QUOTA],
  ['429', RATE],
  ['rate_limited', RATE],
  ['rate_limit_error', RATE],
  ['rate_limit_reached', RATE],
  ['too_many_requests', RATE],
  ['529', OVERLOADED],
  ['overloaded', OVERLOADED],
  ['overloaded_error', OVERLOADED],
  ['engine_overloaded', OVERLOADED],
]);

/** Returns the status of failure that a code of a server stands for; undefined for other codes. */
export function failureStatus(code: string | null): number | undefined {
  if (code === null) return undefined;
  return /^[45]\d\d$/.test(code) ? Number(code) : STATUSES.get(code.toLowerCase());
}

const STATUSES: ReadonlyMap<string, number> = new Map([
  ['bad_request', 400],
  ['invalid_request', 400],
  ['invalid_request_error', 400],
  ['tool_use_failed', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['invalid_api_key', 401],
  ['permission_error', 403],
  ['model_not_found', 404],
  ['not_found_error', 404],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['rate_limit_reached', 429],
  ['ratelimit', 429],
  ['too_many_requests', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** Reports whether the input was too long. Servers without a code for that say it only in the message. */
function isTooLong(code: string | null, message: string): boolean {
  if (code !== null && TOO_LONG_CODES.has(code)) return true;
  return (code === null || CODES.get(code) === INVALID) && saysTooLong(message);
}

/** Reports whether the message of a refusal says that the input does not fit the model. */
export function saysTooLong(message: string): boolean {
  return TOO_LONG_TEXT.test(message) && !RATE_TEXT.test(message);
}

/** The codes of servers for a request that is too long for the model. */
export const TOO_LONG_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'model_max_prompt_tokens_exceeded',
  'max_tokens_exceeded',
  'request_too_large',
  '413',
]);

/** The words for a rate that is too high, which servers use together with those for a long request. */
const RATE_TEXT = /\b(?:tokens|requests) per (?:second|sec|minute|min|hour|day)\b|\brate limit|please wait/i;

const TOO_LONG_TEXT = new RegExp(
  [
    'context (?:length|window|size|limit)',
    'maximum (?:context|prompt|model|input) length',
    'max_seq_len',
    '(?:prompt|input) (?:is )?too long',
    'prompt exceeds max length',
    'too many (?:input )?tokens',
    'prompt token count of [\\d,]+ exceeds',
    'exceeds the maximum number of tokens',
    '`?inputs`? (?:tokens \\+ `?max_new_tokens`? must be|must have less than)',
    'reduce the length of the messages',
    'exceeded model token limit',
    'range of input length',
  ].join('|'),
  'i',
);
