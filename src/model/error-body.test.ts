import { describe, expect, test } from 'vitest';
import { parseErrorBody, plainMessage, shorten } from './error-body.ts';

describe('parseErrorBody', () => {
  test.each([
    ['{"error":{"message":"m","code":"c","type":"t"}}', 'm', ['c', 't']],
    ['{"error":{"message":"m","code":400,"type":null}}', 'm', []],
    ['[{"error":{"message":"m","code":"c"}}]', 'm', ['c']],
    ['{"error":"text"}', 'text', []],
    ['{"message":"m","code":"c"}', 'm', ['c']],
    ['{"detail":"d"}', 'd', []],
    ['{"detail":[{"msg":"x"}]}', '{"detail":[{"msg":"x"}]}', []],
    ['{"error":{}}', '{"error":{}}', []],
    ['"only a string"', '"only a string"', []],
    [' plain text\n', 'plain text', []],
    ['', '', []],
    ['{"error":{"message":"cut', '{"error":{"message":"cut', []],
  ])('%s', (text, message, codes) => {
    expect(parseErrorBody(text)).toMatchObject({ message, codes });
  });

  test('bounds its message', () => {
    expect(parseErrorBody('y'.repeat(5000)).message).toBe(`${'y'.repeat(1000)}…`);
    expect(parseErrorBody(JSON.stringify({ error: { message: 'y'.repeat(5000) } })).message).toHaveLength(1001);
  });
});

describe('plainMessage', () => {
  test('returns the title of a web page', () => {
    expect(plainMessage('<!DOCTYPE html><html><head><title> 502 Bad Gateway </title></head><body>x</body>')).toBe(
      '502 Bad Gateway',
    );
  });

  test('returns the visible text of a page without a title', () => {
    const page = '\n<html><style>p { color: red }</style><body><p>Not\n  <b>here</b></p><script>alert(1)';
    expect(plainMessage(page)).toBe('Not here');
  });
});

test('shorten does not cut a character in two', () => {
  expect(shorten('a😀b', 2)).toBe('a…');
  expect(shorten('ab', 2)).toBe('ab');
});
