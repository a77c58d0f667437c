import type { Event } from '../../base/event.ts';
import { EMPTY_LEDGER, type Ledger } from '../../base/ledger.ts';
import { createTurnCounts } from './turn-counts.ts';

const ENDS: ReadonlySet<Event['type']> = new Set(['turn.completed', 'turn.failed', 'turn.aborted', 'turn.suspended']);

/**
 * Returns a function that maps the event at the end of a turn to lines with the work, tokens, cost and time of the turn.
 * Undefined for other events, and for a turn that sent no request or failed before it did anything.
 */
export function createTurnSummary(now: () => number): (event: Event) => string | undefined {
  let startedAt = now();
  let ledger: Ledger = EMPTY_LEDGER;
  const counts = createTurnCounts();
  return (event) => {
    counts.follow(event);
    if (event.type === 'turn.started') {
      startedAt = now();
      ledger = EMPTY_LEDGER;
    }
    if (event.type === 'turn.ledger') ledger = event.ledger;
    if (!ENDS.has(event.type) || ledger.requests === 0) return undefined;
    const work = counts.text();
    const { inputTokens, outputTokens } = ledger.usage;
    // The error of a turn that did nothing says enough.
    if (event.type === 'turn.failed' && work === undefined && inputTokens + outputTokens === 0) return undefined;
    return `${work === undefined ? '' : `${work}\n`}${summaryText(ledger, now() - startedAt)}`;
  };
}

/** Counts only tokens that are paid in full: input that was not cached, and output. */
function summaryText({ usage, cost }: Ledger, ms: number): string {
  const time = `${(ms / 1000).toFixed(1)}s`;
  // Many local servers count no tokens, and an estimate must not look like a count.
  if (usage.inputTokens + usage.outputTokens === 0) return `took ${time}`;
  const tokens = usage.inputTokens - usage.cachedInputTokens + usage.outputTokens;
  return [
    `tokens used: ${String(tokens).replace(/\B(?=(\d{3})+$)/g, ',')}`,
    ...(cost === null ? [] : [`$${cost.toFixed(cost < 1 ? 4 : 2)}`]),
    time,
  ].join(', ');
}
