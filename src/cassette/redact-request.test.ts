import { describe, expect, test } from 'vitest';
import type { ExchangeRequest } from './cassette.ts';
import { redactHeaders, redactRequest, secretsIn } from './redact-request.ts';
import { createSecretFinder } from './secret-finder.ts';

const request = (fields: Partial<ExchangeRequest>): ExchangeRequest => ({
  method: 'POST',
  url: 'http://host/v1',
  headers: {},
  body: null,
  ...fields,
});
const redact = (fields: Partial<ExchangeRequest>) =>
  redactRequest(request(fields), createSecretFinder(['my-secret-1']));

describe('headers', () => {
  test.each([
    'authorization',
    'x-api-key',
    'api-key',
    'cookie',
    'set-cookie',
    'chatgpt-account-id',
    'x-goog-api-key',
    'proxy-authorization',
    'x-organization',
    'x-amz-security-token',
  ])('%s is redacted whole', (name) => {
    expect(redact({ headers: { [name]: 'x' } }).headers).toEqual({ [name]: '[redacted]' });
  });

  test('others stay, except for secrets in them', () => {
    const headers = {
      'content-type': 'application/json',
      'x-ratelimit-remaining-tokens': '17',
      via: ['a', 'a my-secret-1 b'],
    };
    expect(redactHeaders(headers, createSecretFinder(['my-secret-1']))).toEqual({
      ...headers,
      via: ['a', 'a [redacted] b'],
    });
  });
});

describe('the URL', () => {
  test.each([
    ['https://host/v1/responses', 'https://host/v1/responses'],
    ['https://host/v1?api-version=1&key=abc&x=1', 'https://host/v1?api-version=1&key=[redacted]&x=1'],
    ['https://host/v1?monkey=1&sig%6E=2', 'https://host/v1?monkey=[redacted]&sig%6E=2'],
    ['https://me:pass@host/v1', 'https://[redacted]@host/v1'],
    ['https://me:p@ss@host/v1?a=b@c', 'https://[redacted]@host/v1?a=b@c'],
    ['https://host/my-secret-1/v1?q=my-secret-1', 'https://host/[redacted]/v1?q=[redacted]'],
  ])('%s', (url, shown) => {
    expect(redact({ url }).url).toBe(shown);
  });
});

test('a body keeps its shape', () => {
  const body = {
    model: 'm',
    n: 1,
    ok: true,
    none: null,
    input: [{ content: [{ text: 'key: my-secret-1' }] }],
    tools: [{ type: 'mcp', authorization: 'x', parameters: { password: { type: 'string' } } }],
    prompt_cache_key: 'thread',
    'my-secret-1': 2,
  };
  expect(redact({ body }).body).toEqual({
    ...body,
    input: [{ content: [{ text: 'key: [redacted]' }] }],
    tools: [{ type: 'mcp', authorization: '[redacted]', parameters: { password: { type: 'string' } } }],
    'my-secret-1': undefined,
    '[redacted]': 2,
  });
  expect(redact({ body: 'not JSON, my-secret-1' }).body).toBe('not JSON, [redacted]');
});

test('the credentials of a request are secret', () => {
  const found = secretsIn(
    request({
      url: 'http://host/v1?key=in-query&x=plain',
      headers: { authorization: 'Bearer in-header', cookie: 'a=in-cookie; b=other', 'user-agent': 'plain' },
      body: { tools: [{ authorization: 'in-body' }], input: 'plain' },
    }),
  );
  expect(found).toEqual(expect.arrayContaining(['in-query', 'in-header', 'in-cookie', 'other', 'in-body']));
  expect(found).not.toContain('plain');
});
