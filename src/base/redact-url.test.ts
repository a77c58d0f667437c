import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/harness/runs.ts';
import { passwordsIn, redactUrl, redactUrls } from './redact-url.ts';

test.each([
  ['http://user:PASSWORD@host?api_key=KEY', 'http://[redacted]@host?api_key=[redacted]'],
  ['https://host/v1?api-version=2025-04-01', 'https://host/v1?api-version=2025-04-01'],
  ['https://token@host:8000/v1', 'https://[redacted]@host:8000/v1'],
  ['http://u:p@ss@host/x', 'http://[redacted]@host/x'],
  ['http://u:p/s?s@host/x', 'http://[redacted]@host/x'],
  ['user:pw@localhost:8000', '[redacted]@localhost:8000'],
  ['http://localhost:8000/v1/@scope/x', 'http://localhost:8000/v1/@scope/x'],
  ['http://[::1]:8000/v1/@x', 'http://[::1]:8000/v1/@x'],
  [
    'https://h/?a=1&%6Bey=s&sig=t#access_token=u',
    'https://h/?a=1&%6Bey=[redacted]&sig=[redacted]#access_token=[redacted]',
  ],
  ['https://h/?design=1', 'https://h/?design=1'],
  ['https://h/?x-ratelimit-tokens=5', 'https://h/?x-ratelimit-tokens=5'],
])('%s becomes %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
  expect(redactUrl(shown)).toBe(shown);
});

const SECRET = 'S3cr3tS3cr3t';
const part = fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.~%!$*+,') });
const password = fc.tuple(part, part).map(([before, after]) => `${before}${SECRET}${after}`);
const parameter = fc.constantFrom(
  'api_key',
  'key',
  'access-token',
  'password',
  'sig',
  'X-Amz-Signature',
  'auth',
  'client_secret',
  'pwd',
);

const url = fc
  .record({
    scheme: fc.constantFrom('http', 'https', 'postgres', 'redis', 'ws', 'HTTPS'),
    user: fc.option(fc.tuple(part, password)),
    host: fc.constantFrom('host.example', 'localhost:8000', '[::1]:80', '10.0.0.1'),
    path: fc.constantFrom('', '/', '/v1', '/a/@b/c'),
    query: fc.array(fc.tuple(parameter, password), { maxLength: 3 }),
    fragment: fc.boolean(),
  })
  .map(({ scheme, user, host, path, query, fragment }) => {
    const pairs = query.map(([name, value]) => `${name}=${value}`).join('&');
    return `${scheme}://${user ? `${user.join(':')}@` : ''}${host}${path}${pairs === '' ? '' : `${fragment ? '#' : '?'}${pairs}`}`;
  });

describe('any URL', () => {
  test('shows no password and no key, alone and in a sentence', () => {
    fc.assert(
      fc.property(url, part, (one, words) => {
        const shown = redactUrl(one);
        expect(shown).not.toContain(SECRET);
        expect(redactUrl(shown)).toBe(shown);
        expect(redactUrls(`${words} "${one}" and ${one}, failed`)).not.toContain(SECRET);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('without credentials stays as it is', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (one) => {
        fc.pre(!/auth|key|token|secret|cookie|credential|pass|pwd|sig|account|%|@/i.test(one));
        expect(redactUrl(one)).toBe(one);
      }),
      { numRuns: runs(500) },
    );
  });
});

test('passwords are found as written and without escapes', () => {
  expect(passwordsIn('postgres://me:p%40ss@h/db and redis://:x@h')).toEqual(['p%40ss', 'p@ss', 'x']);
  expect(passwordsIn('https://me@h:80/a:b@c')).toEqual([]);
});
