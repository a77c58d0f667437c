import { setTimeout as delay } from 'node:timers/promises';

/** Waits for an event, at most `ms`. Rejects when the event does. */
export async function within(ms: number, event: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const timeUp = delay(ms, undefined, { signal: waiting.signal }).catch(() => undefined);
  await Promise.race([event, timeUp]).finally(() => waiting.abort());
}
