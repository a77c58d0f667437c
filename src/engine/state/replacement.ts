import { cutMiddle } from '../../base/bound-text.ts';
import { isFromUser, typedText } from '../../base/is-from-user.ts';
import type { Item, MessageItem } from '../../base/item.ts';
import { summaryText } from '../../base/summary.ts';
import { itemTokens } from './estimate.ts';

/** How many tokens of the user's own messages are kept. */
export const KEPT_TOKENS = 20_000;

export interface ReplacementOptions {
  readonly summary: MessageItem;
  /** What the model is told of its surroundings; it stands before what the user said last. */
  readonly context: readonly Item[];
  /** Of the user's messages. */
  readonly keptTokens: number;
}

/**
 * The history that follows on a compaction: what the user said, the newest of it, and the summary. Calls, reasoning and
 * answers are gone, and so are earlier summaries: this one was written with them in sight.
 */
export function replacement(history: readonly Item[], options: ReplacementOptions): readonly Item[] {
  const { summary, context, keptTokens } = options;
  const kept = newestMessages(history, keptTokens);
  const last = kept.at(-1);
  return [...kept.slice(0, -1), ...context, ...(last ? [last] : []), summary];
}

/** The history after a compaction of which only the summary was written down, as older programs did. */
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

/** Its images go with its middle: each takes more room than most texts. None where there was nothing else. */
function cutMessage(item: MessageItem, tokens: number): readonly MessageItem[] {
  const text = cutMiddle(typedText(item), { unit: 'tokens', limit: tokens });
  return text === '' ? [] : [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }];
}
