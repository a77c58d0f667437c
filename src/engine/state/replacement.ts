import { cutMiddle } from '../../base/bound-text.ts';
import { isFromUser, typedText } from '../../base/is-from-user.ts';
import type { Item, MessageItem } from '../../base/item.ts';
import { summaryText } from '../../base/summary.ts';
import { itemTokens } from './estimate.ts';

/** Maximum tokens of the user's own messages that are kept. */
export const KEPT_TOKENS = 20_000;

export interface ReplacementOptions {
  readonly summary: MessageItem;
  /** Sections of the context. They stand before the user's last message. */
  readonly context: readonly Item[];
  /** Maximum tokens of the user's messages. */
  readonly keptTokens: number;
}

/**
 * Returns the history after a compaction: the newest messages of the user, and the summary. Calls, reasoning, answers
 * and earlier summaries are gone. The new summary covers the earlier ones.
 */
export function replacement(history: readonly Item[], options: ReplacementOptions): readonly Item[] {
  const { summary, context, keptTokens } = options;
  const kept = newestMessages(history, keptTokens);
  const last = kept.at(-1);
  return [...kept.slice(0, -1), ...context, ...(last ? [last] : []), summary];
}

/** Returns the history after a compaction of an older program, which recorded only the summary. */
export function summarized(history: readonly Item[], message: string): readonly Item[] {
  const summary: MessageItem = {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: summaryText(message) }],
  };
  return replacement(history, { summary, context: [], keptTokens: KEPT_TOKENS });
}

function newestMessages(history: readonly Item[], tokens: number): readonly Item[] {
  const kept: Item[] = [];
  let left = tokens;
  for (let index = history.length - 1; index >= 0 && left > 0; index--) {
    const item = history[index];
    if (!item || !isFromUser(item)) continue;
    const size = itemTokens(item);
    kept.push(...(size <= left ? [item] : cutMessage(item, left)));
    left -= size;
  }
  return kept.reverse();
}

/**
 * Returns a message without its middle and without its images, which take more room than most texts. Returns nothing if
 * the message has no text.
 */
function cutMessage(item: MessageItem, tokens: number): readonly MessageItem[] {
  const text = cutMiddle(typedText(item), { unit: 'tokens', limit: tokens });
  return text === '' ? [] : [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }];
}
