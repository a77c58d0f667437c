import type { CommandItem, ThreadItem } from '../../base/event.ts';
import { shownCommand } from '../../shell/shown-command.ts';
import { callOutput } from '../../text/call-output.ts';
import { outputLines } from '../../text/output-lines.ts';
import type { Line } from '../../text/span.ts';
import { callTitle } from '../view/call-rows.ts';
import { commandParts } from '../view/command-rows.ts';
import { answerEntries, type Entry, entryRows, renderEntry } from '../view/entry.ts';
import { fileChangeRows } from '../view/file-change-rows.ts';
import type { ViewOptions } from '../view/view-options.ts';
import { createPagerBlock, type PagerBlock, textBlocks } from './pager-block.ts';

/** The terminal of a pager, whose width comes with each page. */
export type PagerLook = Omit<ViewOptions, 'columns' | 'wrap'>;

/** Returns the blocks of an entry with everything that the scrollback folds. A blank row stands before each entry. */
export function entryBlocks(key: string, entry: Entry, look: PagerLook): PagerBlock[] {
  if (entry.kind === 'item') return itemBlocks(key, entry.item, look);
  if (entry.kind === 'reasoning') return answerBlocks(key, entry.text, look);
  const text = entry.kind === 'user' || entry.kind === 'notice' ? entry.text : '';
  return [block(key, text, (options) => [[], ...renderEntry(entry, options)], look)];
}

function itemBlocks(key: string, item: ThreadItem, look: PagerLook): PagerBlock[] {
  switch (item.type) {
    case 'agent_message':
    case 'reasoning':
      return answerBlocks(key, item.text, look);
    case 'command':
      return commandBlocks(key, item, look);
    case 'tool_call': {
      const title = block(`${key}:call`, item.arguments, () => [[], callTitle(item, Infinity)], look);
      return [title, ...outputBlocks(key, callOutput(item.output))];
    }
    case 'file_change': {
      const text = item.changes.map(({ diff }) => diff).join('\n');
      return [block(key, text, (options) => [[], ...fileChangeRows(item, options, Infinity)], look)];
    }
    default:
      return [block(key, '', (options) => [[], ...renderEntry({ kind: 'item', item }, options)], look)];
  }
}

function block(key: string, text: string, make: (options: ViewOptions) => Line[], look: PagerLook): PagerBlock {
  const options = (columns: number): ViewOptions => ({ ...look, columns, wrap: 'words' });
  return createPagerBlock({ key, text: () => text, make: (columns) => make(options(columns)) });
}

/** Returns a block for each part of a text. Each copies the whole text. */
function answerBlocks(key: string, text: string, look: PagerLook): PagerBlock[] {
  const entries = answerEntries(text);
  return entries.map((entry, index) =>
    block(
      `${key}:${index}`,
      text,
      (options) => [...(index === 0 ? [[]] : []), ...entryRows(entries[index - 1] ?? null, [entry], options)],
      look,
    ),
  );
}

function commandBlocks(key: string, item: CommandItem, look: PagerLook): PagerBlock[] {
  const part = (name: 'title' | 'end') => (options: ViewOptions) => commandParts(item, options, Infinity)[name];
  return [
    block(`${key}:command`, shownCommand(item.argv), (options) => [[], ...part('title')(options)], look),
    ...(item.status === 'declined' ? [] : outputBlocks(key, item.output)),
    block(`${key}:end`, '', part('end'), look),
  ];
}

const outputBlocks = (key: string, output: string): PagerBlock[] =>
  output.trim() === '' ? [] : textBlocks(`${key}:output`, output, outputLines);
