/**
 * What a failure is called before clients of the Responses wire: they look at few codes and take every other for
 * something that another attempt may repair. What servers and the codes of our own call by other names is told in these.
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
  // No attempt with the same key or the same name can do better.
  ['401', INVALID],
  ['403', INVALID],
  ['404', INVALID],
  ['auth', INVALID],
  ['authentication_error', INVALID],
  ['invalid_api_key', INVALID],
  ['permission_error', INVALID],
  ['model_not_found', INVALID],
  ['402', QUOTA],
  ['quota_exceeded', QUOTA],
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

/** Servers that have no code for it say it in words only. */
function isTooLong(code: string | null, message: string): boolean {
  if (code !== null && TOO_LONG.has(code)) return true;
  return (code === null || CODES.get(code) === INVALID) && saysTooLong(message);
}

/** Whether a refusal says in words that the input does not fit the model. */
export function saysTooLong(message: string): boolean {
  return TOO_LONG_TEXT.test(message);
}

const TOO_LONG: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'context_window_exceeded',
  'max_tokens_exceeded',
]);

const TOO_LONG_TEXT = new RegExp(
  [
    'context (?:length|window|size)',
    'maximum (?:context|prompt) length',
    '(?:prompt|input) is too long',
    'prompt exceeds max length',
    // Said as well when only the rate is too high.
    'too many (?:input )?tokens(?!,? (?:please wait|per ))',
    'exceeds the maximum number of tokens',
    'exceeded model token limit',
    'range of input length',
  ].join('|'),
  'i',
);
