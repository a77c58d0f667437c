import { expect, test } from 'vitest';
import { HttpSyntaxError } from './http/http-syntax-error.ts';
import { ProxyFault } from './http/proxy-fault.ts';
import { describeUnreachable } from './unreachable.ts';

const url = 'http://127.0.0.1:9/v1/responses';
const fault = (code: string, message = 'words of Node') => Object.assign(new Error(message), { code });

test.each([
  ['ECONNREFUSED', /connection refused\. Check that the server is running and that base_url is right\./],
  ['ENOTFOUND', /no such host\. .*host name in base_url/],
  ['ETIMEDOUT', /timed out\. Check the network/],
  ['ERR_TLS_HANDSHAKE_TIMEOUT', /did not begin TLS in time\. Check whether base_url should begin with http:/],
  ['ECONNRESET', /closed the connection without an answer/],
])('%s has its own message and may pass', (code, words) => {
  const { message, lasting } = describeUnreachable(url, fault(code));
  expect(message).toMatch(words);
  expect(message).toMatch(/^Cannot reach http:\/\/127\.0\.0\.1:9\/v1\/responses: /);
  expect(lasting).toBe(false);
});

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO'])(
  '%s is lasting',
  (code) => {
    expect(describeUnreachable(url, fault(code)).lasting).toBe(true);
  },
);

test('a fault of a proxy is a sentence of its own', () => {
  const proxy = new ProxyFault('The proxy refused.', { lasting: true });
  expect(describeUnreachable(url, proxy)).toMatchObject({ message: 'The proxy refused.', lasting: true });
});

test('bytes that are not HTTP are named for what they are, and are lasting', () => {
  const { message, lasting } = describeUnreachable(
    url,
    new HttpSyntaxError('the head of the answer is longer than 64 kB'),
  );
  expect(message).toContain(': the head of the answer is longer than 64 kB. Check that');
  expect(lasting).toBe(true);
});

test('a wrong certificate gets advice on certificates', () => {
  expect(describeUnreachable(url, fault('SELF_SIGNED_CERT_IN_CHAIN')).message).toMatch(
    /unknown authority.*NODE_EXTRA_CA_CERTS/,
  );
});

test('an error without a row keeps its own message', () => {
  expect(describeUnreachable(url, fault('EODD')).message).toContain('words of Node');
  expect(describeUnreachable(url, fault('EODD', '')).message).toContain('EODD');
  expect(describeUnreachable(url, new Error('odd')).message).toContain('odd');
});
