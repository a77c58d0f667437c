import { expect, test } from 'vitest';
import { OTHER_REFUSALS } from '../../model/fixtures/too-long.ts';
import { failureCode, saysTooLong } from './failure-code.ts';

test.each([
  ['context_length_exceeded', 'context_length_exceeded'],
  ['exceed_context_size_error', 'context_length_exceeded'],
  ['insufficient_quota', 'insufficient_quota'],
  ['402', 'insufficient_quota'],
  ['usage_not_included', 'usage_not_included'],
  ['invalid_prompt', 'invalid_prompt'],
  ['invalid_request_error', 'invalid_prompt'],
  ['401', 'invalid_prompt'],
  ['429', 'rate_limit_exceeded'],
  ['rate_limited', 'rate_limit_exceeded'],
  ['overloaded', 'server_is_overloaded'],
  ['slow_down', 'slow_down'],
  ['stream_closed', 'stream_closed'],
  ['502', '502'],
  ['__proto__', '__proto__'],
  [null, 'server_error'],
])('%s becomes %s', (code, told) => {
  expect(failureCode(code, 'It failed.')).toBe(told);
});

test.each([
  'This model has a maximum context length of 8192 tokens.',
  'the request exceeds the available context size. try increasing the context size or enable context shift',
  'prompt is too long: 210000 tokens > 200000 maximum',
  'Input is too long for requested model.',
  'The decoder prompt (length 20000) is longer than the maximum model length of 16384.',
  'Prompt length (9000) exceeds maximum input length (8192).',
])('a request that is too long is recognised by the message: %s', (message) => {
  expect(failureCode('400', message)).toBe('context_length_exceeded');
  expect(failureCode(null, message)).toBe('context_length_exceeded');
  expect(failureCode('429', message)).toBe('rate_limit_exceeded');
});

test.each(OTHER_REFUSALS)('another refusal is not taken for one: %s', (message) => {
  expect(saysTooLong(message)).toBe(false);
});
