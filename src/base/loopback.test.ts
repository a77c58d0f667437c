import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each(['127.0.0.1', '127.255.255.255', '::1', '[::1]', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST', 'a.localhost'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '127.0.0.256',
  '127.0.0.01',
  '127.1',
  '127.evil.example',
  'localhost.example',
  '',
  ':',
])('%j may be another machine', (host) => {
  expect(isLoopback(host)).toBe(false);
});
