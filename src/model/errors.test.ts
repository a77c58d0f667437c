import { describe, expect, test } from 'vitest';
import { type FailedAnswer, failureError, statusError } from './errors.ts';
import { OTHER_REFUSALS, TOO_LONG_REFUSALS } from './fixtures/too-long.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

const answer = (
  status: number,
  body: unknown,
  headers: FailedAnswer['headers'] = {},
  keyFrom?: FailedAnswer['keyFrom'],
) =>
  statusError({
    status,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    keyFrom,
    url: 'http://localhost/v1/responses',
    now: NOW,
    redact: (text) => text.replaceAll('secret', '[redacted]'),
  });

describe.each(TOO_LONG_REFUSALS)('a request that is too long for $server', ({ status, body }) => {
  test('is recognised by its status and body', () => {
    expect(answer(status, body)).toMatchObject({ code: 'context_length_exceeded', retryable: false });
  });

  test('is recognised inside a stream', () => {
    const { code, type, message } = errorIn(body);
    const said = { code: code || type || (status === 413 ? '413' : null), message: message || 'no' };
    // A stream has no status, and the same words mean a rate there.
    if (said.code === 'rate_limit_exceeded') return;
    expect(failureError(said)).toMatchObject({ code: 'context_length_exceeded', retryable: false });
  });
});

/** Returns the fields of an error that a server would send in a stream. */
function errorIn(body: string | object): { code?: string; type?: string; message?: string } {
  const outer = Array.isArray(body) ? body[0] : body;
  if (typeof outer === 'string') return { message: outer };
  if (typeof outer.error === 'string') return { message: outer.error };
  const { code, type, message, detail } = outer.error ?? outer;
  return { code: typeof code === 'string' ? code : '', type, message: message ?? detail };
}

test.each(OTHER_REFUSALS)('another refusal is not taken for one that is too long: %s', (message) => {
  expect(answer(400, { error: { message } }).code).toBe('bad_request');
  expect(answer(429, { error: { message } }).code).toBe('rate_limited');
  expect(failureError({ code: null, message }).code).toBe('server_error');
});

test('a message that says that the input is too long is recognised', () => {
  const error = failureError({
    code: null,
    message: 'The input token count (9) exceeds the maximum number of tokens allowed.',
  });
  expect(error).toMatchObject({ code: 'context_length_exceeded', retryable: false });
  expect(failureError({ code: null, message: 'Too many tokens, please wait.' }).code).toBe('server_error');
});

describe('failureError', () => {
  test.each([
    ['context_length_exceeded', 'context_length_exceeded', false],
    ['insufficient_quota', 'quota_exceeded', false],
    ['usage_not_included', 'quota_exceeded', false],
    ['invalid_prompt', 'rejected', false],
    ['bio_policy', 'rejected', false],
    ['cyber_policy', 'rejected', false],
    ['misalignment_policy_violation', 'rejected', false],
    ['server_is_overloaded', 'overloaded', false],
    ['slow_down', 'overloaded', false],
    ['rate_limit_exceeded', 'rate_limited', true],
    ['stream_closed', 'stream_broken', true],
    ['something_new', 'server_error', true],
    ['constructor', 'server_error', true],
    [null, 'server_error', true],
  ])('%s is %s', (code, expected, retryable) => {
    expect(failureError({ code, message: 'said' })).toMatchObject({
      code: expected,
      retryable,
      retryAfterMs: undefined,
    });
  });

  test('has its own message for a full context', () => {
    expect(failureError({ code: 'context_length_exceeded', message: 'too long' }).message).toBe(
      "Oxbow ran out of room in the model's context window. Start a new thread or clear earlier history before retrying, or use a model with a larger window.",
    );
  });

  test("has the server's words beside its own", () => {
    expect(failureError({ code: 'context_length_exceeded', message: 'too long' }).serverWords).toBe('too long');
    expect(failureError({ code: 'other', message: 'gone' }).serverWords).toBe('gone');
    expect(failureError({ code: 'other', message: '' }).serverWords).toBeUndefined();
    expect(answer(401, { error: { message: 'a secret key' } }).serverWords).toBe('a [redacted] key');
    expect(answer(400, { error: { message: 'too long', code: 'context_length_exceeded' } }).serverWords).toBe(
      'too long',
    );
    expect(answer(503, '').serverWords).toBeUndefined();
  });

  test("keeps the server's message about a refused prompt", () => {
    expect(failureError({ code: 'cyber_policy', message: 'Not allowed.' }).message).toBe('Not allowed.');
  });

  test('reports that a stream was cut off', () => {
    expect(failureError({ code: 'stream_closed', message: 'no end' }).message).toBe(
      'stream disconnected before completion: no end',
    );
  });

  test('reads a wait only from a rate limit', () => {
    const message = 'Please try again in 1.3s.';
    expect(failureError({ code: 'rate_limit_exceeded', message }).retryAfterMs).toBe(1300);
    expect(failureError({ code: 'other', message }).retryAfterMs).toBeUndefined();
  });

  test('has a message for a server that sends none', () => {
    expect(failureError({ code: 'other', message: '' }).message).toBe(
      'stream disconnected before completion: the server gave no reason',
    );
  });
});

describe('statusError', () => {
  test.each([
    [400, {}, 'bad_request', false],
    [401, {}, 'auth', false],
    [403, {}, 'unexpected_status', false],
    [404, {}, 'unexpected_status', false],
    [429, {}, 'rate_limited', true],
    [500, {}, 'server_error', true],
    [502, '<html><title>Bad Gateway</title></html>', 'unexpected_status', true],
    [307, '', 'unexpected_status', false],
    [400, { error: { code: 'context_length_exceeded' } }, 'context_length_exceeded', false],
    [400, { error: { code: 400, type: 'exceed_context_size_error' } }, 'context_length_exceeded', false],
    [
      400,
      { message: "This model's maximum context length is 16384 tokens.", code: 400 },
      'context_length_exceeded',
      false,
    ],
    [
      400,
      { error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } },
      'context_length_exceeded',
      false,
    ],
    [500, { error: { code: 500, message: 'Context size has been exceeded.' } }, 'context_length_exceeded', false],
    [422, { detail: 'Your request exceeded model token limit: 131072' }, 'context_length_exceeded', false],
    [429, { error: { message: 'Too many tokens, please wait.' } }, 'rate_limited', true],
    [429, { error: { code: 'insufficient_quota', type: 'insufficient_quota' } }, 'quota_exceeded', false],
    [429, { error: { type: 'usage_limit_reached' } }, 'usage_limit_reached', false],
    [429, { error: { code: 'rate_limit_exceeded' } }, 'rate_limited', true],
    [503, { error: { code: 'server_is_overloaded' } }, 'overloaded', false],
    [503, { error: { code: 'slow_down' } }, 'overloaded', false],
    [503, {}, 'unexpected_status', true],
  ])('%i with %j is %s', (status, body, code, retryable) => {
    expect(answer(status, body)).toMatchObject({ code, retryable });
  });

  test("400 has the server's message and nothing else", () => {
    expect(answer(400, { error: { message: 'Unknown parameter: x.' } }).message).toBe('Unknown parameter: x.');
    expect(answer(400, 'no such thing').message).toBe('no such thing');
    expect(answer(400, '').message).toBe('The server refused the request (400 Bad Request) and gave no reason.');
  });

  test('401 asks the user to check the key', () => {
    expect(answer(401, { error: { message: 'bad key' } }).message).toBe(
      'unexpected status 401 Unauthorized: bad key, url: http://localhost/v1/responses. Check the key of this provider.',
    );
  });

  test('429 has the wait of the header, else that of the text', () => {
    const body = { error: { message: 'try again in 2s' } };
    expect(answer(429, body, { 'retry-after': '7' }).retryAfterMs).toBe(7000);
    expect(answer(429, body).retryAfterMs).toBe(2000);
    expect(answer(429, {}).retryAfterMs).toBeUndefined();
  });

  test.each([429, 500, 502, 503, 529])('%i has the wait that its header asks for', (status) => {
    expect(answer(status, {}, { 'retry-after': '7' }).retryAfterMs).toBe(7000);
    expect(answer(status, {}, { 'retry-after-ms': '250' }).retryAfterMs).toBe(250);
    const date = { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' };
    expect(answer(status, { error: { code: 'slow_down' } }, date).retryAfterMs).toBe(30_000);
  });

  test('only a rate limit has a wait in its text, and a refusal has none', () => {
    expect(answer(500, { error: { message: 'try again in 2s' } }).retryAfterMs).toBeUndefined();
    expect(answer(403, {}, { 'retry-after': '7' }).retryAfterMs).toBeUndefined();
  });

  test('a usage limit that was reached has the time of its end', () => {
    const at = new Date(2026, 4, 6, 7, 8);
    const limited = (error: object) => answer(429, { error: { type: 'usage_limit_reached', ...error } }).message;
    expect(limited({ resets_at: at.getTime() / 1000 })).toBe(
      'You’ve hit your usage limit. Try again at 07:08 on 2026-05-06.',
    );
    expect(limited({ resets_in_seconds: (at.getTime() - NOW) / 1000 })).toContain('at 07:08 on 2026-05-06');
    expect(limited({})).toContain('Try again later.');
  });

  test('a refused key is named by its place', () => {
    const refused = (keyFrom?: string | null) => answer(401, '', {}, keyFrom).message;
    expect(refused('MY_KEY')).toMatch(/\. The key came from MY_KEY: check it there\.$/);
    expect(refused(null)).toMatch(
      /\. No key was sent: name its variable with env_key in the table of this provider\.$/,
    );
    expect(refused()).toMatch(/\. Check the key of this provider\.$/);
  });

  test('any other status names the address and the ids for a support request', () => {
    expect(answer(418, { error: { message: 'tea' } }, { 'x-request-id': 'req_1', 'cf-ray': 'ray' }).message).toBe(
      "unexpected status 418 I'm a Teapot: tea, url: http://localhost/v1/responses, cf-ray: ray, request id: req_1",
    );
    expect(answer(404, '').message).toMatch(/Check base_url and the name of the model\.$/);
    expect(answer(599, '').message).toMatch(/^unexpected status 599: the server gave no reason/);
  });

  test.each([300, 301, 302, 303, 304, 305, 306, 307, 308])('%i is not retried', (status) => {
    expect(answer(status, '', { location: 'https://other/v1' })).toMatchObject({
      code: 'unexpected_status',
      retryable: false,
      status,
    });
  });

  test('redirects of different kinds get different advice', () => {
    const adviceOf = (status: number) => answer(status, '', { location: 'https://other/v1' }).message;
    expect(adviceOf(301)).toMatch(/points to https:\/\/other\/v1: set base_url to match\.$/);
    expect(adviceOf(303)).toContain('a page to log in');
    expect(adviceOf(305)).toContain('305 Use Proxy');
    expect(adviceOf(305)).toContain('through that proxy');
    expect(adviceOf(304)).not.toContain('points to');
  });

  test('a redirect is reported, without a possible key', () => {
    expect(answer(308, '', { location: 'https://other/v1?key=abc' }).message).toMatch(
      /points to https:\/\/other\/v1: set base_url/,
    );
  });

  test('secrets that a server repeats are removed, also where the text is cut', () => {
    const long = `${'x'.repeat(997)}secret`;
    expect(answer(401, { error: { message: 'the key secret is wrong' } }).message).toContain(
      'the key [redacted] is wrong',
    );
    expect(answer(403, long).message).not.toContain('sec');
    expect(answer(403, '', { 'x-request-id': 'secret' }).message).not.toContain('secret');
  });
});
