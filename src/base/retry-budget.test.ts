import { expect, test } from 'vitest';
import { ModelError } from './errors.ts';
import { createRetryBudget, takeRetry } from './retry-budget.ts';

const NOW = new Date(2026, 4, 6, 13, 5).getTime();
const BROKEN = new ModelError('stream_broken', 'it broke', { retryable: true });

test('retries are counted, whichever layer takes them', () => {
  const budget = createRetryBudget(2);
  expect(takeRetry(budget, BROKEN, 100, NOW)).toEqual({ attempt: 1, max: 2, delayMs: 100 });
  expect(takeRetry(budget, BROKEN, 200, NOW)).toEqual({ attempt: 2, max: 2, delayMs: 200 });
  expect(() => takeRetry(budget, BROKEN, 300, NOW)).toThrow(BROKEN);
});

test('waits add up to ten minutes at most', () => {
  const budget = createRetryBudget(100);
  takeRetry(budget, BROKEN, 300_000, NOW);
  takeRetry(budget, BROKEN, 299_999, NOW);
  expect(() => takeRetry(budget, BROKEN, 200, NOW)).toThrow(BROKEN);
});

test('time that attempts took counts too', () => {
  const budget = createRetryBudget(5);
  budget.leftMs -= 600_000;
  expect(() => takeRetry(budget, BROKEN, 0, NOW)).toThrow(BROKEN);
});

test('a wait that is too long ends with the time until which the server asks to wait', () => {
  const error = new ModelError('rate_limited', 'Slow down', { retryable: true, retryAfterMs: 3_600_000, status: 429 });
  expect(() => takeRetry(createRetryBudget(5), error, 3_600_000, NOW)).toThrow(
    expect.objectContaining({
      code: 'rate_limited',
      message: 'The server asks to wait until 14:05 on 2026-05-06. Try again then. Its failure: Slow down',
      retryable: false,
      retryAfterMs: 3_600_000,
      status: 429,
    }),
  );
});

test('a budget may refuse some errors', () => {
  const budget = createRetryBudget(5, ({ code }) => code !== 'idle_timeout');
  const silent = new ModelError('idle_timeout', 'nothing came', { retryable: true });
  expect(() => takeRetry(budget, silent, 0, NOW)).toThrow(silent);
  expect(takeRetry(budget, BROKEN, 0, NOW).attempt).toBe(1);
});
