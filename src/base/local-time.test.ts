import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { formatDay, formatTimeOfDay, localTime } from './local-time.ts';

test('in UTC the parts are those of UTC', () => {
  const time = localTime(Date.UTC(2026, 0, 2, 23, 4, 5), 'Etc/UTC');
  expect(formatDay(time)).toBe('2026-01-02');
  expect(formatTimeOfDay(time)).toBe('23-04-05');
});

test('in other time zones the parts are local', () => {
  const now = Date.UTC(2026, 0, 2, 23, 4, 5);
  const script = `console.log(new Date(${now}).getHours())`;
  const hours = (zone: string) => Number(execFileSync(process.execPath, ['-e', script], { env: { TZ: zone } }));
  expect(hours('Asia/Tokyo')).toBe(8);
  // The time zone of this process, whatever its name is.
  const time = localTime(now, 'Not/UTC');
  expect(time.hour).toBe(new Date(now).getHours());
  expect(time.day).toBe(new Date(now).getDate());
});
