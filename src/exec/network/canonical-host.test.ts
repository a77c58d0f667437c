import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalHost } from './canonical-host.ts';

const name = (text: string) => ({ kind: 'name', text });
const address = (text: string, family: number) => ({ kind: 'address', text, family });

describe('a host has one spelling', () => {
  test.each([
    ['Example.ORG', name('example.org')],
    ['example.org.', name('example.org')],
    ['bücher.example', name('xn--bcher-kva.example')],
    ['BÜCHER.example', name('xn--bcher-kva.example')],
    ['example。org', name('example.org')],
    ['_srv.example.org', name('_srv.example.org')],
    ['localhost', name('localhost')],
  ])('%s', (given, expected) => expect(canonicalHost(given)).toEqual(expected));
});

describe('an address is recognised in any spelling', () => {
  test.each([
    ['127.0.0.1', address('127.0.0.1', 4)],
    ['127.1', address('127.0.0.1', 4)],
    ['127.0.0.1.', address('127.0.0.1', 4)],
    ['0x7f.1', address('127.0.0.1', 4)],
    ['017700000001', address('127.0.0.1', 4)],
    ['2130706433', address('127.0.0.1', 4)],
    ['１２７.0.0.1', address('127.0.0.1', 4)],
    ['[::1]', address('::1', 6)],
    ['::1', address('::1', 6)],
    ['0:0:0:0:0:0:0:1', address('::1', 6)],
    ['[::ffff:127.0.0.1]', address('::ffff:7f00:1', 6)],
  ])('%s', (given, expected) => expect(canonicalHost(given)).toEqual(expected));
});

describe('anything else is not a host', () => {
  test.each([
    '',
    '.',
    'a..b',
    '.a',
    'a b',
    'a\tb',
    'a\nb',
    'a/b',
    'user@host',
    'host:80',
    'a%2eb',
    'a?b',
    'a#b',
    '256.1.1.1',
    '1.2.3.4.5',
    '[::1',
    '[fe80::1%25eth0]',
    'fe80::1%eth0',
    'a\u0000b',
    `${'a'.repeat(64)}.org`,
    `${'abc.'.repeat(64)}org`,
  ])('%j', (given) => expect(canonicalHost(given)).toBeUndefined());
});

test('the canonical spelling of any host is canonical itself', () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.ipV4Extended(), fc.ipV6(), fc.string({ unit: 'binary' })), (given) => {
      const host = canonicalHost(given);
      if (host !== undefined) expect(canonicalHost(host.text)).toEqual(host);
    }),
  );
});
