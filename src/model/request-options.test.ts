import { expect, test } from 'vitest';
import { headerList } from './request-options.ts';

const fieldsOf = (url: string, headers: Record<string, string>, size?: number) => {
  const list = headerList(new URL(url), headers, size);
  const names = list.filter((_, index) => index % 2 === 0);
  expect(new Set(names).size, 'a header that is there twice').toBe(names.length);
  return Object.fromEntries(names.map((name, index) => [name, list[index * 2 + 1]]));
};

test('a request names its host and its length', () => {
  expect(fieldsOf('http://h:1/x', { a: '1' }, 5)).toEqual({ host: 'h:1', a: '1', 'content-length': '5' });
  expect(fieldsOf('http://h/x', {})).toEqual({ host: 'h' });
});

test('a configured host counts, a configured length does not', () => {
  const headers = { host: 'other', 'content-length': '9' };
  expect(fieldsOf('http://h/x', headers, 5)).toEqual({ host: 'other', 'content-length': '5' });
});

test('name and password of an address are sent, unless there is a key', () => {
  expect(fieldsOf('http://me:p%40ss@h/x', {}).authorization).toBe(`Basic ${btoa('me:p@ss')}`);
  expect(fieldsOf('http://me:pass@h/x', { authorization: 'Bearer k' }).authorization).toBe('Bearer k');
});
