import type { Item } from './item.ts';

const OPENING =
  'What came before in this thread was replaced by this summary of it. Go on from here: what it calls done is done, and files and running commands are as it says.';

/** Openings of summary messages: our own, and that of Codex. */
const OPENINGS: readonly string[] = [
  OPENING,
  'Another language model started to solve this problem and produced a summary of its thinking process.',
];

/** Returns the text of a summary message. A text that already has the opening is returned unchanged. */
export function summaryText(summary: string): string {
  return isOpened(summary) ? summary : `${OPENING}\n${summary}`;
}

/** Reports whether an item is the summary of a compacted history. */
export function isSummary(item: Item): boolean {
  if (item.type !== 'message' || item.role !== 'user') return false;
  const [first] = item.content;
  return first?.type === 'input_text' && isOpened(first.text);
}

function isOpened(text: string): boolean {
  return OPENINGS.some((opening) => text.startsWith(opening));
}
