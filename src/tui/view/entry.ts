import type { Ask, GivenAnswer, ThreadItem } from '../../base/event.ts';
import type { Repair } from '../../base/repair.ts';
import {
  EMPTY_MARKDOWN,
  endMarkdown,
  type MarkdownBlock,
  type MarkdownPart,
  pushMarkdown,
} from '../../markdown/push-markdown.ts';
import { expandTabs } from '../../text/cells.ts';
import { repairNote } from '../../text/repair-note.ts';
import { searchNote } from '../../text/search-note.ts';
import { type Line, type SpanStyle, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { answeredRow } from './answered-row.ts';
import { callRows } from './call-rows.ts';
import { commandRows } from './command-rows.ts';
import { fileChangeRows } from './file-change-rows.ts';
import { markdownRows } from './markdown-rows.ts';
import { planRows } from './plan-rows.ts';
import { reasoningRows } from './reasoning-rows.ts';
import { safeSpan } from './safe-row.ts';
import { type UserEntry, userRows } from './user-rows.ts';
import { proseWidth, type ViewOptions } from './view-options.ts';

/** A part of a thread that goes into the scrollback, as plain data. */
export type Entry =
  | UserEntry
  /** One finished block of an answer. */
  | { readonly kind: 'markdown'; readonly block: MarkdownBlock; readonly isFirst: boolean }
  /** One finished line of code of an answer. */
  | { readonly kind: 'code'; readonly line: Line; readonly isApart: boolean }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** A completed item. */
  | { readonly kind: 'item'; readonly item: ThreadItem }
  | { readonly kind: 'repair'; readonly repair: Repair }
  | { readonly kind: 'notice'; readonly tone: NoticeTone; readonly text: string }
  | { readonly kind: 'answered'; readonly ask: Ask; readonly given: GivenAnswer }
  /** Rows that are ready. */
  | { readonly kind: 'rows'; readonly rows: readonly Line[] };

export type NoticeTone = 'plain' | 'dim' | 'warning' | 'error';

/**
 * Returns the rows of an entry, without the blank row before it. Prose is wrapped between words. Code, commands and paths are
 * left to the terminal, which wraps them in a way that copies well.
 */
export function renderEntry(entry: Entry, options: ViewOptions): Line[] {
  switch (entry.kind) {
    case 'user':
      return userRows(entry, options);
    case 'markdown':
      return markdownRows(entry.block, options);
    case 'code':
      return [entry.line];
    case 'reasoning':
      return reasoningRows(entry.text, options);
    case 'item':
      return itemRows(entry.item, options);
    case 'repair':
      return prose(repairNote(entry.repair), { color: 'muted' }, options);
    case 'notice':
      return noticeRows(entry, options);
    case 'answered':
      return [answeredRow(entry.ask, entry.given, options)];
    case 'rows':
      return [...entry.rows];
  }
}

function itemRows(item: ThreadItem, options: ViewOptions): Line[] {
  switch (item.type) {
    case 'user_message':
      return userRows({ kind: 'user', text: item.text, images: item.images, how: 'sent' }, options);
    case 'agent_message':
      return entryRows(null, answerEntries(item.text), options);
    case 'reasoning':
      return reasoningRows(item.text, options);
    case 'command':
      return commandRows(item, options);
    case 'file_change':
      return fileChangeRows(item, options);
    case 'web_search':
      return prose(searchNote(item), { color: 'muted' }, options);
    case 'plan':
      return planRows(item, options);
    case 'tool_call':
      return callRows(item, options);
  }
}

/** Returns the entries of a whole answer. */
export function answerEntries(text: string): Entry[] {
  const { state, parts } = pushMarkdown(EMPTY_MARKDOWN, text);
  return [...parts, ...endMarkdown(state)].map((part, index) => partEntry(part, index === 0));
}

/** Returns the entry of a part of an answer. `isFirst`: no part of the same answer came before. */
export function partEntry(part: MarkdownPart, isFirst: boolean): Entry {
  if (part.kind === 'block') return { kind: 'markdown', block: part.block, isFirst };
  return { kind: 'code', line: part.line, isApart: isFirst || part.isApart };
}

const TONES: Readonly<Record<NoticeTone, { readonly style: SpanStyle; readonly word: string }>> = {
  plain: { style: {}, word: '' },
  dim: { style: { color: 'muted' }, word: '' },
  // A meaning has a word besides its colour.
  warning: { style: { color: 'number' }, word: 'warning: ' },
  error: { style: { color: 'error' }, word: 'error: ' },
};

function noticeRows({ tone, text }: Extract<Entry, { kind: 'notice' }>, options: ViewOptions): Line[] {
  const { style, word } = TONES[tone];
  const lines = `${word}${text.trimEnd()}`.replace(/\r/g, '').split('\n');
  return lines.flatMap((line) => {
    const text = expandTabs(visible(line));
    return wrapSpans([span(text, style)], proseWidth(options), { hanging: hangingOf(text, options) });
  });
}

/** Returns the cells before further rows of a line: the second column of a table, unless it is too far to the right. */
function hangingOf(line: string, options: ViewOptions): number {
  const [column = ''] = /^ +\S.*? {2,}(?=\S)/.exec(line) ?? [];
  return column.length <= proseWidth(options) / 2 ? column.length : 2;
}

const prose = (text: string, style: SpanStyle, options: ViewOptions): Line[] =>
  wrapSpans([safeSpan(text, style)], proseWidth(options), { hanging: 2 });

/**
 * Returns the rows of entries, with a blank row before an entry that stands apart. `previous` is the last entry that was
 * committed before, or null.
 */
export function entryRows(previous: Entry | null, entries: readonly Entry[], options: ViewOptions): Line[] {
  const rows: Line[] = [];
  let last = previous;
  for (const entry of entries) {
    const shown = renderEntry(entry, options);
    // A block may have nothing to show, such as the definition of an address.
    if (shown.length === 0) continue;
    if (isApart(last, entry)) rows.push([]);
    for (const row of shown) rows.push(row);
    last = entry;
  }
  return rows;
}

/**
 * Reports whether a blank row stands before an entry. Answers follow their source. Notes stand together, and before the work
 * that they are about. Everything else stands apart.
 */
export function isApart(previous: Entry | null, entry: Entry): boolean {
  if (previous === null) return false;
  const [before, group] = [groupOf(previous), groupOf(entry)];
  if (entry.kind === 'markdown' && before === 'answer') return entry.isFirst || entry.block.isApart;
  if (entry.kind === 'code' && before === 'answer') return entry.isApart;
  if (group === 'work') return previous.kind !== 'answered' && previous.kind !== 'repair';
  if (isTable(entry) || isTable(previous)) return true;
  return group !== 'note' || before !== 'note';
}

/** Reports whether an entry is a notice of several lines, which stands apart. */
const isTable = (entry: Entry): boolean => entry.kind === 'notice' && entry.text.includes('\n');

function groupOf(entry: Entry): 'user' | 'answer' | 'work' | 'note' | 'rows' {
  switch (entry.kind) {
    case 'user':
    case 'rows':
      return entry.kind;
    case 'markdown':
    case 'code':
      return 'answer';
    case 'item':
      return entry.item.type === 'web_search' || entry.item.type === 'reasoning' ? 'note' : 'work';
    default:
      return 'note';
  }
}
