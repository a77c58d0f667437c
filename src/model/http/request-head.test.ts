import { expect, test } from 'vitest';
import { requestHead } from './request-head.ts';

const fieldsOf = (url: string, headers: Record<string, string>) => {
  const [line, ...fields] = requestHead('POST', new URL(url), headers).trimEnd().split('\r\n');
  expect(line).toBe('POST /x HTTP/1.1');
  const pairs = fields.map((field) => field.split(': ') as [string, string]);
  expect(new Set(pairs.map(([name]) => name)).size, 'a header that is there twice').toBe(pairs.length);
  return Object.fromEntries(pairs);
};

test('a request names its host and keeps the connection', () => {
  expect(fieldsOf('http://h:1/x', { a: '1' })).toEqual({ host: 'h:1', a: '1', connection: 'keep-alive' });
  expect(fieldsOf('http://h/x', {})).toEqual({ host: 'h', connection: 'keep-alive' });
});

test('a configured host is used, and headers of the connection are not', () => {
  const headers = { host: 'other', 'content-length': '9', 'transfer-encoding': 'chunked', connection: 'close' };
  expect(fieldsOf('http://h/x', headers)).toEqual({ host: 'other', connection: 'keep-alive' });
});

test('the query is sent as it stands, also for an address without a path', () => {
  const first = (url: string) => requestHead('GET', new URL(url), {}).split('\r\n')[0];
  expect(first('http://h/v1/x?a=b%20c&d')).toBe('GET /v1/x?a=b%20c&d HTTP/1.1');
  expect(first('http://h')).toBe('GET / HTTP/1.1');
});

test('a header cannot contain a line break', () => {
  for (const value of ['a\r\nx: y', 'a\nb', 'a\rb', 'a\0', '\u0100']) {
    expect(() => requestHead('POST', new URL('http://h/x'), { a: value })).toThrow('does not allow');
    expect(() => requestHead('POST', new URL('http://h/x'), { [value]: 'a' })).toThrow('does not allow');
  }
});

test('name and password of an address are sent, unless there is a key', () => {
  expect(fieldsOf('http://me:p%40ss@h/x', {}).authorization).toBe(`Basic ${btoa('me:p@ss')}`);
  expect(fieldsOf('http://me:pass@h/x', { authorization: 'Bearer k' }).authorization).toBe('Bearer k');
});
