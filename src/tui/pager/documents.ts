import type { Thread } from '../../app/thread/thread.ts';
import type { ThreadItem } from '../../base/event.ts';
import { expandTabs } from '../../text/cells.ts';
import { type Line, type SpanStyle, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { itemEntries } from '../last-turns.ts';
import type { OpenPager, QuestionState } from '../model.ts';
import type { Entry } from '../view/entry.ts';
import { wholeQuestion } from '../view/question-area.ts';
import { entryBlocks, type PagerLook } from './entry-blocks.ts';
import { openPager } from './pager.ts';
import { createPagerBlock, type PagerBlock, textBlocks } from './pager-block.ts';

const PAGE_TURNS = 10;

/** Returns the pager with the whole thread, at its end. Earlier turns are read when the page comes near them. */
export async function transcriptPage(thread: Thread, look: PagerLook): Promise<OpenPager> {
  const { blocks, before } = await transcriptBlocks(thread, look);
  const pager = openPager({ title: 'Thread', blocks, hasBefore: before !== null, from: 'end' });
  return { pager, before, follows: true, askId: null };
}

/** Returns the blocks of some turns before a place, and the place before them. */
export async function transcriptBlocks(
  thread: Thread,
  look: PagerLook,
  place?: string,
): Promise<{ readonly blocks: readonly PagerBlock[]; readonly before: string | null }> {
  const { turns, before } = await thread.history({
    turns: PAGE_TURNS,
    ...(place === undefined ? {} : { before: place }),
  });
  const blocks = turns.flatMap(({ id, items, failure }, turn) => [
    ...items.flatMap((item) => entryBlocks(`${place ?? ''}:${turn}:${item.id}`, wholeEntry(item), look)),
    ...(failure === null
      ? []
      : entryBlocks(`${place ?? ''}:${id}:failure`, { kind: 'notice', tone: 'error', text: failure }, look)),
  ]);
  return { blocks, before };
}

/** Returns the entry of an item. Answers and reasoning are whole items for the pager. */
function wholeEntry(item: ThreadItem): Entry {
  const [first] = itemEntries(item);
  return item.type === 'user_message' && first !== undefined ? first : { kind: 'item', item };
}

/** Returns the pager with one item, and for a command with all of its output that is kept. */
export async function itemPage(thread: Thread, item: ThreadItem, look: PagerLook): Promise<OpenPager> {
  const whole = item.type === 'command' ? { ...item, output: await wholeOutput(thread, item) } : item;
  const blocks = entryBlocks(item.id, { kind: 'item', item: whole }, look);
  return { pager: openPager({ title: 'Folded', blocks, hasBefore: false, from: 'start' }), ...ALONE };
}

const ALONE = { before: null, follows: false, askId: null } as const;

async function wholeOutput(thread: Thread, item: Extract<ThreadItem, { type: 'command' }>): Promise<string> {
  const { text } = await thread.commandOutput(item.id).catch(() => ({ text: item.output }));
  return text;
}

/** Returns the pager with the whole action of a question. The question can be approved once its end was on the page. */
export function questionPage(question: QuestionState, unicode: boolean): OpenPager {
  const { id, shown } = question.ask;
  const make = (columns: number) => wholeQuestion(question, columns, unicode);
  const blocks = [createPagerBlock({ key: id, make, text: () => shown })];
  return { pager: openPager({ title: 'Question', blocks, hasBefore: false, from: 'start' }), ...ALONE, askId: id };
}

/** Returns the pager with a diff as git writes it, in colours. */
export function diffPage(title: string, diff: string): OpenPager {
  const blocks = textBlocks('diff', diff, (lines) => lines.split('\n').map(diffLine));
  return { pager: openPager({ title, blocks, hasBefore: false, from: 'start' }), ...ALONE };
}

const DIFF_STYLES: readonly (readonly [start: RegExp, style: SpanStyle])[] = [
  [/^(diff |index |--- |\+\+\+ )/, { bold: true }],
  [/^@@/, { color: 'accent' }],
  [/^\+/, { color: 'added' }],
  [/^-/, { color: 'removed' }],
];

function diffLine(line: string): Line {
  const style = DIFF_STYLES.find(([start]) => start.test(line))?.[1];
  return [span(expandTabs(visible(line)), style)];
}
