const STEPS = [
  { unit: 'minute', ms: 60_000, until: 3_600_000 },
  { unit: 'hour', ms: 3_600_000, until: 86_400_000 },
  { unit: 'day', ms: 86_400_000, until: 14 * 86_400_000 },
] as const;

/** Returns how long ago a time was, in words. Returns the day for a time long ago or in the future. */
export function relativeTime(iso: string, now: number): string {
  const ms = now - Date.parse(iso);
  if (!(ms > -60_000)) return iso.slice(0, 10);
  if (ms < 60_000) return 'just now';
  const step = STEPS.find(({ until }) => ms < until);
  if (!step) return iso.slice(0, 10);
  const count = Math.floor(ms / step.ms);
  return `${count} ${step.unit}${count === 1 ? '' : 's'} ago`;
}
