import { isRecord } from '../base/json-schema.ts';
import type { UsageLimits, UsageWindow } from '../base/usage-limits.ts';
import type { Frame } from '../base/wire.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Returns the limits that the headers of an answer report. Undefined for headers without any. */
export function limitsInHeaders(headers: Headers, now: number): UsageLimits | undefined {
  const windows = [
    ...['primary', 'secondary'].map((name) => planWindow(headers, name, now)),
    ...['requests', 'tokens'].map((name) => rateWindow(headers, name, now)),
  ].filter((window) => window !== undefined);
  return windows.length === 0 ? undefined : { plan: textIn(headers, 'x-codex-plan-type') ?? null, windows };
}

/** Returns the limits that a frame of the responses wire reports. Undefined for all other frames. */
export function limitsInFrame({ event, data }: Frame, now: () => number): UsageLimits | undefined {
  if (event !== FRAME && !data.startsWith(`{"type":"${FRAME}"`)) return undefined;
  const { plan_type, rate_limits } = recordIn(data);
  if (!isRecord(rate_limits)) return undefined;
  const windows = ['primary', 'secondary'].flatMap((name) => {
    const window = rate_limits[name];
    if (!isRecord(window) || typeof window.used_percent !== 'number') return [];
    const { used_percent, window_minutes, reset_at, reset_after_seconds } = window;
    const minutes = typeof window_minutes === 'number' ? window_minutes : null;
    return [windowOf(name, used_percent, minutes, resetTime(reset_at, reset_after_seconds, now()))];
  });
  return windows.length === 0 ? undefined : { plan: typeof plan_type === 'string' ? plan_type : null, windows };
}

const FRAME = 'codex.rate_limits';

/**
 * Returns the time of a reset: a number of seconds since 1970, or from now. The second one is right on a machine whose
 * clock is wrong. The time is a whole second, as in data: cut and rounded, parts of one could be in two minutes.
 */
export function resetTime(at: unknown, inSeconds: unknown, now: number): number | null {
  if (typeof inSeconds === 'number') return Math.ceil(now / 1000 + inSeconds) * 1000;
  return typeof at === 'number' ? at * 1000 : null;
}

function planWindow(headers: Headers, name: string, now: number): UsageWindow | undefined {
  const used = numberIn(headers, `x-codex-${name}-used-percent`);
  if (used === undefined) return undefined;
  const at = numberIn(headers, `x-codex-${name}-reset-at`);
  const after = numberIn(headers, `x-codex-${name}-reset-after-seconds`);
  return windowOf(name, used, numberIn(headers, `x-codex-${name}-window-minutes`) ?? null, resetTime(at, after, now));
}

function rateWindow(headers: Headers, name: string, now: number): UsageWindow | undefined {
  const limit = numberIn(headers, `x-ratelimit-limit-${name}`);
  const left = numberIn(headers, `x-ratelimit-remaining-${name}`);
  if (!limit || left === undefined) return undefined;
  const wait = durationMs(textIn(headers, `x-ratelimit-reset-${name}`) ?? '');
  return windowOf(name, ((limit - left) / limit) * 100, null, wait === undefined ? null : now + wait);
}

function windowOf(name: string, used: number, windowMinutes: number | null, resetsAt: number | null): UsageWindow {
  const usedPercent = Math.round(Math.min(Math.max(used, 0), 100) * 10) / 10;
  return { name, usedPercent, windowMinutes, resetsAt: resetsAt === null ? null : Math.round(resetsAt) };
}

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Returns a duration such as `6m0s`, `1.5s` or a number of seconds. Undefined for other texts. */
function durationMs(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|[hms]))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g);
  return [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
}

function textIn(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function numberIn(headers: Headers, name: string): number | undefined {
  const text = textIn(headers, name);
  const value = text === undefined ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function recordIn(data: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
