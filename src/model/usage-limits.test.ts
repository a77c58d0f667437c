import { expect, test } from 'vitest';
import { limitsInFrame, limitsInHeaders } from './usage-limits.ts';

const NOW = 1_700_000_000_000;

test('the windows of a plan', () => {
  const headers = {
    'x-codex-plan-type': 'plus',
    'x-codex-primary-used-percent': '12.5',
    'x-codex-primary-window-minutes': '300',
    'x-codex-primary-reset-at': '1700009000',
    'x-codex-secondary-used-percent': '140',
    'x-codex-secondary-reset-after-seconds': '60',
  };
  expect(limitsInHeaders(headers, NOW)).toEqual({
    plan: 'plus',
    windows: [
      { name: 'primary', usedPercent: 12.5, windowMinutes: 300, resetsAt: 1_700_009_000_000 },
      { name: 'secondary', usedPercent: 100, windowMinutes: null, resetsAt: NOW + 60_000 },
    ],
  });
});

test.each([
  ['6m0s', 360_000],
  ['1h2m3.5s', 3_723_500],
  ['20ms', 20],
  ['7', 7000],
])('the limits of a key that are reset in %s', (reset, ms) => {
  const headers = {
    'x-ratelimit-limit-requests': '200',
    'x-ratelimit-remaining-requests': '50',
    'x-ratelimit-reset-requests': reset,
    'x-ratelimit-limit-tokens': '0',
    'x-ratelimit-remaining-tokens': '0',
  };
  expect(limitsInHeaders(headers, NOW)).toEqual({
    plan: null,
    windows: [{ name: 'requests', usedPercent: 75, windowMinutes: null, resetsAt: NOW + ms }],
  });
});

test('other headers and wrong values are no limits', () => {
  expect(limitsInHeaders({ date: 'x', 'x-codex-primary-used-percent': 'much' }, NOW)).toBeUndefined();
  expect(
    limitsInHeaders({ 'x-ratelimit-limit-tokens': '9', 'x-ratelimit-remaining-tokens': '9' }, NOW)?.windows[0],
  ).toMatchObject({ usedPercent: 0, resetsAt: null });
});

test('a frame with limits, and frames without', () => {
  const value = {
    type: 'codex.rate_limits',
    plan_type: 'pro',
    rate_limits: { primary: { used_percent: 40, window_minutes: 300, reset_at: 1_700_009_000 }, secondary: null },
  };
  const windows = [{ name: 'primary', usedPercent: 40, windowMinutes: 300, resetsAt: 1_700_009_000_000 }];
  expect(limitsInFrame({ data: JSON.stringify(value) }, () => NOW)).toEqual({ plan: 'pro', windows });
  expect(limitsInFrame({ event: 'codex.rate_limits', data: '{"rate_limits":7}' }, () => NOW)).toBeUndefined();
  expect(limitsInFrame({ event: 'codex.rate_limits', data: '{' }, () => NOW)).toBeUndefined();
  expect(limitsInFrame({ data: '{"type":"response.created"}' }, () => NOW)).toBeUndefined();
});

test('a reset after some seconds is at a whole second, so that its time is the same in words and in data', () => {
  const resetAt = (now: number) => limitsInHeaders(PRIMARY, now)?.windows[0]?.resetsAt;
  expect([resetAt(NOW), resetAt(NOW - 400), resetAt(NOW - 999)]).toEqual([NOW + 60_000, NOW + 60_000, NOW + 60_000]);
});

const PRIMARY = { 'x-codex-primary-used-percent': '1', 'x-codex-primary-reset-after-seconds': '60' };
