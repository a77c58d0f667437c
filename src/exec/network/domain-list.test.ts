import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalHost } from './canonical-host.ts';
import { createDomainList } from './domain-list.ts';

function allows(entry: string, host: string, port = 443): boolean {
  const read = canonicalHost(host);
  return read !== undefined && createDomainList([entry]).allows(read, port);
}

describe('an entry allows', () => {
  test.each([
    ['example.org', 'example.org'],
    ['example.org', 'EXAMPLE.org.'],
    ['Example.Org.', 'example.org'],
    [' example.org ', 'example.org'],
    ['*.example.org', 'a.example.org'],
    ['*.example.org', 'a.b.Example.org'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'BÜCHER.example'],
    ['*.bücher.example', 'a.bücher.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '0x7f.1'],
    ['10.0.0.0/8', '10.9.8.7'],
    ['::1', '[::1]'],
    ['[::1]', '::1'],
    ['fd00::/8', '[fd12::1]'],
    ['127.0.0.1', '[::ffff:127.0.0.1]'],
  ])('%s: %s', (entry, host) => expect(allows(entry, host)).toBe(true));
});

describe('an entry does not allow', () => {
  test.each([
    ['example.org', 'a.example.org'],
    ['example.org', 'example.org.evil.com'],
    ['example.org', 'evilexample.org'],
    ['example.org', 'example.com'],
    ['*.example.org', 'example.org'],
    ['*.example.org', 'evilexample.org'],
    ['*.example.org', 'a.example.org.evil.com'],
    ['example.org', '93.184.216.34'],
    ['*.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.2'],
    ['127.0.0.1', '127.0.0.1.evil.com'],
    ['10.0.0.0/8', '11.0.0.1'],
    ['example.org', 'exаmple.org'],
  ])('%s: %s', (entry, host) => expect(allows(entry, host)).toBe(false));
});

test('an entry with a port allows that port only', () => {
  expect([allows('example.org:8443', 'example.org', 8443), allows('example.org:8443', 'example.org', 443)]).toEqual([
    true,
    false,
  ]);
  expect([allows('[::1]:80', '::1', 80), allows('[::1]:80', '::1', 81)]).toEqual([true, false]);
  expect(allows('*.example.org:22', 'a.example.org', 22)).toBe(true);
  expect(createDomainList(['10.0.0.7:80']).listsAddress('10.0.0.7', 81)).toBe(false);
});

test('an entry with an exclamation mark denies hosts that others allow', () => {
  const list = createDomainList(['*.example.org', '!evil.example.org', '!*.bad.example.org']);
  const allowed = ['a', 'evil', 'x.bad', 'bad'].filter((name) =>
    list.allows({ kind: 'name', text: `${name}.example.org` }, 443),
  );
  expect(allowed).toEqual(['a', 'bad']);
});

test('invalid entries are reported and allow nothing', () => {
  const entries = [
    '',
    '*',
    '*.*',
    '*.',
    'a.*.org',
    'http://example.org',
    'example.org/path',
    'a b',
    '0.0.0.0/0',
    '::/0',
  ];
  const more = ['example.org:0', 'example.org:99999', 'example.org:', '*.127.0.0.1', '10.0.0.0/33', 'user@example.org'];
  const list = createDomainList([...entries, ...more, 'good.org']);
  expect(list.invalid).toEqual([...entries, ...more]);
  expect(list.allows({ kind: 'name', text: 'example.org' }, 443)).toBe(false);
  expect(list.allows({ kind: 'name', text: 'good.org' }, 443)).toBe(true);
});

test('only the listed name is allowed, and no variation of it', () => {
  const label = fc.stringMatching(/^[a-z]{1,8}$/);
  fc.assert(
    fc.property(fc.array(label, { minLength: 2, maxLength: 4 }), label, fc.boolean(), (labels, more, dot) => {
      const host = labels.join('.');
      expect(allows(host, `${host.toUpperCase()}${dot ? '.' : ''}`)).toBe(true);
      expect(allows(host, `${more}.${host}`)).toBe(false);
      expect(allows(host, `${more}${host}`)).toBe(false);
      expect(allows(host, `${host}.${more}`)).toBe(false);
      expect(allows(`*.${host}`, `${more}.${host}`)).toBe(true);
      expect(allows(`*.${host}`, `${more}${host}`)).toBe(false);
    }),
  );
});
