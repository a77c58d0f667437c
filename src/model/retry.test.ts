import { describe, expect, test } from 'vitest';
import { backoffMs, delayInText, retryAfterMs } from './retry.ts';

describe('backoffMs', () => {
  test('doubles from 200 ms', () => {
    expect([1, 2, 3, 4, 5].map((attempt) => backoffMs(attempt, () => 0.5))).toEqual([200, 400, 800, 1600, 3200]);
  });

  test('varies by a tenth', () => {
    expect(backoffMs(1, () => 0)).toBeCloseTo(180);
    expect(backoffMs(1, () => 0.999999)).toBeCloseTo(220, 2);
  });

  test('stays within the range of timers after any number of attempts', () => {
    expect(backoffMs(100, () => 0.5)).toBe(60_000);
  });
});

describe('retryAfterMs', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': ['3', '9'] }, 3000],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': '86400' }, 86_400_000],
    [{ 'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT' }, 365 * 86_400_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '1' }, 1000],
    [{}, undefined],
  ])('%j asks for %s ms', (headers, expected) => {
    expect(retryAfterMs(headers, now)).toBe(expected);
  });
});

describe('delayInText', () => {
  test.each([
    ['Rate limit reached. Please try again in 1.3s. Visit …', 1300],
    ['TRY AGAIN IN 250 ms', 250],
    ['try again in 28ms.', 28],
    ['try again in 1 second', 1000],
    ['try again in 35 seconds.', 35_000],
    ['try again in 9999s', 9_999_000],
    ['try again in 6m0s', undefined],
    ['try again in 2 minutes', undefined],
    ['try again in a moment', undefined],
    ['wait 5s', undefined],
  ])('%s', (text, expected) => {
    expect(delayInText(text)).toBe(expected);
  });
});
