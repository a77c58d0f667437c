import { cutMiddle } from '../../base/bound-text.ts';
import { isFromUser } from '../../base/is-from-user.ts';
import type { Item } from '../../base/item.ts';
import type { Checkpoint, LogLine } from '../../base/log.ts';
import { isSummary, summaryText } from '../../base/summary.ts';
import { contextItems, type SentSections } from '../request/context-items.ts';
import { activeTokens, contextUse, estimatedTokens, itemTokens, tokensFrom } from '../state/estimate.ts';
import { textPart } from '../state/message.ts';
import { KEPT_TOKENS, type ReplacementOptions, replacement } from '../state/replacement.ts';
import type { ThreadState } from '../state/thread-state.ts';
import { toTokenCounts } from '../state/token-counts.ts';
import type { Compaction, Turn } from '../turn-setup.ts';
import { writeSummary } from './write-summary.ts';

/**
 * Replaces the history by the user's messages and a summary that the model writes. The history stays as it is until the
 * summary is complete. Every call must have its output.
 */
export async function compactHistory(turn: Turn, compaction: Compaction): Promise<boolean> {
  const { state } = turn;
  const { reason, inTurn } = compaction;
  const active = activeTokens(turn);
  if (isShortest(state.history, keptOf(turn, compaction, active))) return false;
  // Estimated in the same way as the result, which no server has counted yet.
  const before = estimatedTokens(turn);
  const written = await writeSummary(turn, compaction);
  const id = `msg_${turn.thread.world.uuid()}`;
  const context = inTurn ? await contextItems(turn, NOTHING_SENT) : [];
  const room = roomOf(turn, compaction, active);
  const keptTokens = keptOf(turn, compaction, active);
  const limit = compaction.summaryTokens ?? summaryTokens(state.history, { room, context, keptTokens });
  const text = summaryText(cutMiddle(written, { unit: 'tokens', limit }));
  const summary = { type: 'message', id, role: 'user', content: [textPart(text)] } as const;
  await turn.decide(() => [
    // Readers begin at this line. It must stay together with the next.
    { type: 'oxbow', payload: { kind: 'checkpoint', ...checkpoint(state), kept_tokens: keptTokens } },
    {
      type: 'compacted',
      payload: { message: text, replacement_history: replacement(state.history, { summary, context, keptTokens }) },
    },
    PREFIX_CHANGED,
  ]);
  turn.emit({ type: 'compacted', reason, before, after: estimatedTokens(turn) });
  turn.emit({ type: 'prefix.changed', cause: 'compaction' });
  turn.emit({ type: 'context', ...contextUse(turn, turn.setup.window) });
  return true;
}

/** In the middle of a turn all sections are sent again, because those in the history are gone with it. */
const NOTHING_SENT: Readonly<SentSections> = new Map();

const PREFIX_CHANGED: LogLine = { type: 'oxbow', payload: { kind: 'prefix.changed', cause: 'compaction' } };

/** Reports whether the history since the last summary has nothing that a compaction would remove. */
function isShortest(history: readonly Item[], keptTokens: number): boolean {
  const since = history.slice(history.findLastIndex(isSummary) + 1);
  if (!since.every((item) => item.type === 'message' && item.role !== 'assistant')) return false;
  return history.filter(isFromUser).reduce((sum, item) => sum + itemTokens(item), 0) <= keptTokens;
}

/**
 * Returns the number of tokens that the user's messages may keep. It is the same with all large windows. With a window
 * that is small, or smaller than expected, it is a quarter of the window.
 */
function keptOf(turn: Turn, compaction: Compaction, tokens: number): number {
  return Math.min(KEPT_TOKENS, Math.floor(roomOf(turn, compaction, tokens) / 4));
}

function roomOf({ setup }: Turn, { reason }: Compaction, tokens: number): number {
  const { limit, window } = setup.compaction;
  return Math.min(limit, window, reason === 'overflow' ? tokens : Number.POSITIVE_INFINITY);
}

/**
 * Returns the number of tokens that a summary may have: a quarter of the window, and half of what it replaces. Some
 * models repeat themselves or write the history down again.
 */
function summaryTokens(
  history: readonly Item[],
  { room, context, keptTokens }: { readonly room: number } & Omit<ReplacementOptions, 'summary'>,
): number {
  const summary = { type: 'message', role: 'user', content: [] } as const;
  const rest = replacement(history, { summary, context, keptTokens });
  const replaced = tokensFrom(history, 0) - tokensFrom(rest, 0);
  return Math.max(LEAST_SUMMARY, Math.floor(Math.min(room / 4, replaced / 2)));
}

/** A user may ask for the summary of a short history. */
const LEAST_SUMMARY = 500;

function checkpoint({ turns, requests, usage, queue, commands, instructions, tools }: ThreadState): Checkpoint {
  const untold = [...commands.values()];
  return {
    turns,
    requests,
    usage: toTokenCounts(usage),
    queue: [...queue],
    ...(untold.length === 0 ? {} : { commands: untold }),
    instructions,
    tools,
  };
}
