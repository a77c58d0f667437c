import { estimatedTokens } from '../state/estimate.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { Turn } from '../turn-setup.ts';

/**
 * Warns once if the server seems to drop the beginning of requests that are too long for it: it counts the same number
 * of tokens again and again, although three times as many are sent.
 */
export function noticeTruncation(turn: Turn): void {
  const { counted } = turn.state;
  if (!counted || counted.tokens < LEAST_WINDOW || counted.steady.counts < MANY_COUNTS || warned.has(turn.state))
    return;
  const estimate = estimatedTokens(turn);
  if (estimate < MUCH_MORE * counted.tokens) return;
  warned.add(turn.state);
  turn.emit({ type: 'warning', code: 'model', message: truncatedText(counted.tokens, estimate) });
}

/** A server that counts less has no real count. */
const LEAST_WINDOW = 1000;
const MANY_COUNTS = 3;
/** The estimate is too high for some texts, but not by this much. */
const MUCH_MORE = 3;

/** Threads whose user was warned. */
const warned = new WeakSet<ThreadState>();

function truncatedText(tokens: number, estimate: number): string {
  return `The server counts about ${tokens} tokens for each request, although about ${estimate} are sent: it seems to drop the beginning of the thread without saying so. Set model_context_window to the number of tokens that the server was started with, so that the thread is compacted before that.`;
}
