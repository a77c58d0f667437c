import type { Item } from './item.ts';

const OPENING =
  'What came before in this thread was replaced by this summary of it. Go on from here: what it calls done is done, and files and running commands are as it says.';

/** How the message of a summary begins: ours, and the one that Codex writes. */
const OPENINGS: readonly string[] = [
  OPENING,
  'Another language model started to solve this problem and produced a summary of its thinking process.',
];

/** The text of the message that stands for what a thread held before. A text that is one already stays as it is. */
export function summaryText(summary: string): string {
  return isOpened(summary) ? summary : `${OPENING}\n${summary}`;
}

/** Whether it stands for what a thread held before it was compacted. */
export function isSummary(item: Item): boolean {
  if (item.type !== 'message' || item.role !== 'user') return false;
  const [first] = item.content;
  return first?.type === 'input_text' && isOpened(first.text);
}

function isOpened(text: string): boolean {
  return OPENINGS.some((opening) => text.startsWith(opening));
}
