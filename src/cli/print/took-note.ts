import type { Event } from '../../base/event.ts';
import { EMPTY_LEDGER, type Ledger } from '../../base/ledger.ts';

const ENDS: ReadonlySet<Event['type']> = new Set(['turn.completed', 'turn.failed', 'turn.aborted']);

/** Gives for the event that ends a turn what the turn took, in one line; nothing where no request was made. */
export function createTookNote(now: () => number): (event: Event) => string | undefined {
  let startedAt = now();
  let ledger: Ledger = EMPTY_LEDGER;
  return (event) => {
    if (event.type === 'turn.started') {
      startedAt = now();
      ledger = EMPTY_LEDGER;
    }
    if (event.type === 'turn.ledger') ledger = event.ledger;
    if (!ENDS.has(event.type) || ledger.requests === 0) return undefined;
    return tookText(ledger, now() - startedAt);
  };
}

/** Of the tokens those that are paid for in full: input that was not cached, and output. */
function tookText({ usage, cost }: Ledger, ms: number): string {
  const time = `${(ms / 1000).toFixed(1)}s`;
  // Many servers of one's own count none, and an estimate is no account.
  if (usage.inputTokens + usage.outputTokens === 0) return `took ${time}`;
  const tokens = usage.inputTokens - usage.cachedInputTokens + usage.outputTokens;
  return [
    `tokens used: ${String(tokens).replace(/\B(?=(\d{3})+$)/g, ',')}`,
    ...(cost === null ? [] : [`$${cost.toFixed(cost < 1 ? 4 : 2)}`]),
    time,
  ].join(', ');
}
