import { expect, test } from 'vitest';
import { relativeTime } from './relative-time.ts';

const NOW = Date.parse('2026-03-20T12:00:00Z');

test.each([
  ['2026-03-20T12:00:30Z', 'just now'],
  ['2026-03-20T11:59:01Z', 'just now'],
  ['2026-03-20T11:59:00Z', '1 minute ago'],
  ['2026-03-20T11:00:01Z', '59 minutes ago'],
  ['2026-03-20T11:00:00Z', '1 hour ago'],
  ['2026-03-19T13:00:00Z', '23 hours ago'],
  ['2026-03-19T12:00:00Z', '1 day ago'],
  ['2026-03-07T12:00:00Z', '13 days ago'],
  ['2026-03-06T12:00:00Z', '2026-03-06'],
  ['2026-03-21T12:00:00Z', '2026-03-21'],
  ['2026-03-05', '2026-03-05'],
])('%s is %s', (iso, text) => {
  expect(relativeTime(iso, NOW)).toBe(text);
});
