import { ModelError } from '../../base/errors.ts';
import type { CompactionReason } from '../../base/event.ts';
import type { ContentPart } from '../../base/item.ts';
import { isSummary } from '../../base/summary.ts';
import { activeTokens, estimatedTokens, itemTokens, tokensFrom } from '../state/estimate.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { Turn } from '../turn-setup.ts';

/**
 * Replaces a history that has reached its limit. `between`: in the middle of a turn. `input` is the input that the turn
 * will add. It must fit next to the history, otherwise it would be cut later.
 */
export async function compactIfNeeded(
  turn: Turn,
  when: 'before' | 'between',
  input: readonly ContentPart[] = [],
): Promise<void> {
  const { limit } = turn.setup.compaction;
  if (turn.state.history.length === 0 || limit === Number.POSITIVE_INFINITY) return;
  const said = input.length === 0 ? 0 : itemTokens({ type: 'message', role: 'user', content: input });
  const tokens = activeTokens(turn) + said;
  if (tokens < limit || isOvercounted(turn, said) || isCompactAlready(turn)) return;
  // In a replay, the record decides when to compact.
  if (turn.compactionFailed && limit > 0 && turn.setup.compaction.fits(tokens)) return;
  try {
    await compact(turn, 'limit', when === 'between');
  } catch (error) {
    if (!(error instanceof ModelError) || turn.signal.aborted || !turn.setup.compaction.fits(tokens)) throw error;
    turn.compactionFailed = true;
    turn.emit({
      type: 'warning',
      code: 'model',
      message: `${error.message} The turn goes on: its next request still fits.`,
    });
  }
}

/**
 * Replaces the history by the user's messages and a summary that the model writes. Returns false if that would not be
 * shorter.
 */
export async function compact(turn: Turn, reason: CompactionReason, inTurn = false): Promise<boolean> {
  const compactHistory = await turn.setup.compaction.code();
  return compactHistory(turn, { reason, inTurn });
}

/**
 * Reports whether only the server takes the history for too long, and has done so with each count since the last
 * compaction. Such a server counts more than it gets, for example all requests of a session. To compact again with each
 * request would let the model forget everything that it does.
 */
function isOvercounted(turn: Turn, said: number): boolean {
  const { counted, history } = turn.state;
  const { limit } = turn.setup.compaction;
  if (!counted || counted.least < limit || !history.some(isSummary)) return false;
  const estimate = estimatedTokens(turn) + said;
  if (estimate >= limit) return false;
  if (!warned.has(turn.state)) {
    warned.add(turn.state);
    turn.emit({ type: 'warning', code: 'model', message: overcountedText(counted.tokens, estimate, limit) });
  }
  return true;
}

/** Threads whose user knows that the counts of the server are not used. */
const warned = new WeakSet<ThreadState>();

function overcountedText(tokens: number, estimate: number, limit: number): string {
  return `The server still counts ${tokens} tokens after the compaction of this thread, although about ${estimate} are sent. Until it counts less than ${limit}, the size of the thread is estimated.`;
}

/**
 * Reports whether the history is over the limit but has little more than the result of the last compaction. Another
 * compaction with each request would shorten nothing.
 */
function isCompactAlready(turn: Turn): boolean {
  const { history } = turn.state;
  const summary = history.findLastIndex(isSummary);
  if (summary < 0) return false;
  const { limit } = turn.setup.compaction;
  // In a replay, the record decides when to compact.
  if (limit === 0) return false;
  const added = tokensFrom(history, summary + 1);
  return estimatedTokens(turn) - added >= limit && added < Math.max(limit / 4, LEAST_ADDED);
}

const LEAST_ADDED = 2000;
