const FIRST_DELAY_MS = 200;
const MAX_BACKOFF_MS = 60_000;

/**
 * Returns the wait before retry `attempt` (1, 2, …). It doubles each time, and varies by a tenth so that clients do not
 * retry in step.
 */
export function backoffMs(attempt: number, random: () => number): number {
  const jitter = 0.9 + random() * 0.2;
  return Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1) * jitter, MAX_BACKOFF_MS);
}

/** Returns the wait that the headers of an answer ask for, in seconds or as a date. */
export function retryAfterMs(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  now: number,
): number | undefined {
  const precise = Number(single(headers['retry-after-ms']) ?? Number.NaN);
  if (precise >= 0) return precise;
  const asked = single(headers['retry-after']);
  if (asked === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}

/** Returns the wait that a server names in prose ("Please try again in 1.3s"), in seconds or milliseconds. */
export function delayInText(text: string): number | undefined {
  const [, amount, unit] = /try again in\s*(\d+(?:\.\d+)?)\s*(ms|seconds?|s)\b/i.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  return Number(amount) * (unit.toLowerCase() === 'ms' ? 1 : 1000);
}

function single(value: string | readonly string[] | undefined): string | undefined {
  const text = (typeof value === 'string' ? value : value?.[0])?.trim();
  return text === '' ? undefined : text;
}
