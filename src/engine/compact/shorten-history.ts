import { cutMiddle, type TextLimit } from '../../base/bound-text.ts';
import type { ContentPart, Item, Output } from '../../base/item.ts';
import { isCall, isCallOutput } from '../../base/item.ts';
import { withoutImages } from '../request/without-images.ts';
import { itemTokens, tokensFrom } from '../state/estimate.ts';

/**
 * Share of the history that each step keeps, counted from its end. After these steps, one more keeps only the last
 * stretch, with long texts cut.
 */
const SHARES = [1, 0.7, 0.4, 0.15];

const LAST_TEXTS: TextLimit = { unit: 'tokens', limit: 1000 };

/**
 * Returns a shorter history for a server that found it too long. Each step returns less, and never a call without its
 * output. Returns undefined if there is nothing left to try.
 */
export function shortenHistory(history: readonly Item[], step: number): readonly Item[] | undefined {
  const share = SHARES[step];
  if (share === 1) return history;
  const cuts = cutsOf(history);
  if (share !== undefined) return newest(history, cuts, tokensFrom(history, 0) * share);
  if (step > SHARES.length) return undefined;
  return history.slice(cuts.at(-1) ?? 0).map(withShortTexts);
}

/** Returns the next step that leaves less than this one. */
export function nextStep(history: readonly Item[], step: number): number {
  const length = shortenHistory(history, step)?.length;
  let next = step + 1;
  while (next < SHARES.length && shortenHistory(history, next)?.length === length) next++;
  return next;
}

/** Returns the longest end of the history with at most this number of tokens, or its last stretch. */
function newest(history: readonly Item[], cuts: readonly number[], tokens: number): readonly Item[] {
  let left = tokens;
  let from = cuts.at(-1) ?? 0;
  let end = history.length;
  for (const cut of cuts.toReversed()) {
    left -= tokensOfSlice(history, cut, end);
    if (left < 0) break;
    from = cut;
    end = cut;
  }
  return history.slice(from);
}

function tokensOfSlice(history: readonly Item[], from: number, to: number): number {
  let tokens = 0;
  for (const item of history.slice(from, to)) tokens += itemTokens(item);
  return tokens;
}

/**
 * Returns the indexes at which a history may begin. No call before such an index waits for its output, and no reasoning
 * is separated from the item it led to. Servers refuse both.
 */
function cutsOf(history: readonly Item[]): readonly number[] {
  const cuts: number[] = [];
  let open = 0;
  for (const [index, item] of history.entries()) {
    if (open === 0 && !isCallOutput(item) && history[index - 1]?.type !== 'reasoning') cuts.push(index);
    if (isCall(item)) open++;
    else if (isCallOutput(item)) open--;
  }
  return cuts;
}

function withShortTexts(item: Item): Item {
  const seen = withoutImages(item);
  if (seen.type === 'message') return { ...seen, content: seen.content.map(withShortText) };
  if (isCallOutput(seen)) return { ...seen, output: shortOutput(seen.output) };
  if (seen.type === 'custom_tool_call') return { ...seen, input: cutMiddle(seen.input, LAST_TEXTS) };
  return seen;
}

function shortOutput(output: Output): Output {
  return typeof output === 'string' ? cutMiddle(output, LAST_TEXTS) : output.map(withShortText);
}

function withShortText(part: ContentPart): ContentPart {
  if (part.type !== 'input_text' && part.type !== 'output_text') return part;
  return { ...part, text: cutMiddle(part.text, LAST_TEXTS) };
}
