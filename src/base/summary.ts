import type { Item } from './item.ts';

/** First line of the summaries of Codex. Codex keeps a summary that begins otherwise as if the user had said it. */
const CODEX_LINE =
  'Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:';

const OPENING = `${CODEX_LINE}
Go on from here: what it calls done is done, and files and running commands are as it says.`;

/** Beginnings of summary messages: the one that we share with Codex, and the one of our older versions. */
const OPENINGS: readonly string[] = [
  'Another language model started to solve this problem and produced a summary of its thinking process.',
  'What came before in this thread was replaced by this summary of it.',
];

/** Returns the text of a summary message. A text that already has the opening is returned unchanged. */
export function summaryText(summary: string): string {
  return isOpened(summary) ? summary : `${OPENING}\n${summary}`;
}

/** Reports whether an item is the summary of a compacted history. The item may come from a damaged line. */
export function isSummary(item: Item): boolean {
  if (item.type !== 'message' || item.role !== 'user') return false;
  const [first] = item.content;
  return first?.type === 'input_text' && typeof first.text === 'string' && isOpened(first.text);
}

function isOpened(text: string): boolean {
  return OPENINGS.some((opening) => text.startsWith(opening));
}
