import type { CompactionReason } from '../../base/event.ts';
import type { ContentPart } from '../../base/item.ts';
import { isSummary } from '../../base/summary.ts';
import { activeTokens, estimatedTokens, itemTokens, tokensFrom } from '../state/estimate.ts';
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
  if (activeTokens(turn) + said < limit || isCompactAlready(turn)) return;
  await compact(turn, 'limit', when === 'between');
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
