import type { SeenLimits } from '../../app/threads/usage.ts';
import { clockTime } from '../../base/local-time.ts';
import type { UsageWindow } from '../../base/usage-limits.ts';
import { printable } from '../../text/visible.ts';

/** Returns the limits of accounts as lines. A window that has ended meanwhile is shown as such. */
export function formatLimits(limits: readonly SeenLimits[], now: number): string {
  return limits.map((account) => `\n${accountLines(account, now).join('\n')}\n`).join('');
}

function accountLines({ provider, keyFrom, plan, windows, seenAt }: SeenLimits, now: number): string[] {
  const from = keyFrom === null ? '' : `, key from ${keyFrom}`;
  const of = plan === null ? '' : `, plan ${plan}`;
  const title = `Limits of ${provider}${from}${of}, as of ${clockTime(seenAt)}:`;
  return [title, ...windows.map((window) => `  ${windowText(window, now)}`)].map(printable);
}

function windowText({ name, usedPercent, windowMinutes, resetsAt }: UsageWindow, now: number): string {
  const label = windowMinutes === null ? name : spanText(windowMinutes);
  if (resetsAt === null) return `${label}: ${usedPercent}% used`;
  return resetsAt <= now
    ? `${label}: was ${usedPercent}% used, reset at ${clockTime(resetsAt)}`
    : `${label}: ${usedPercent}% used, resets at ${clockTime(resetsAt)}`;
}

const DAY = 24 * 60;

function spanText(minutes: number): string {
  if (minutes >= DAY) return `${Math.round(minutes / DAY)} days`;
  return minutes >= 60 ? `${Math.round(minutes / 60)} hours` : `${minutes} minutes`;
}
