import { openBlock } from '../../markdown/push-markdown.ts';
import { searchNote } from '../../text/search-note.ts';
import type { Line } from '../../text/span.ts';
import type { ProgressItem, TuiModel } from '../model.ts';
import { liveAnswer } from './live-answer.ts';
import { liveCall } from './live-call.ts';
import { liveCommand } from './live-command.ts';
import { reasoningRows } from './reasoning-rows.ts';
import { cutRow, safeSpan } from './safe-row.ts';
import type { ViewOptions } from './view-options.ts';

/** Returns the rows of the items in progress. The last ones get the room first, since they change. */
export function openItemRows(
  { items, now }: Pick<TuiModel, 'items' | 'now'>,
  options: ViewOptions,
  most: number,
): Line[] {
  let left = most;
  const blocks: Line[][] = [];
  for (const item of [...items].reverse()) {
    if (left < 1) break;
    const rows = rowsOf(item, now, options, left).slice(0, left);
    left -= rows.length;
    blocks.unshift(rows);
  }
  return blocks.flat();
}

function rowsOf(open: ProgressItem, now: number, options: ViewOptions, most: number): Line[] {
  switch (open.kind) {
    case 'message':
      return liveAnswer(openBlock(open.markdown), options, most);
    case 'reasoning':
      return open.text.trim() === '' ? [] : reasoningRows(open.text, options).slice(0, 1);
    case 'command': {
      if (open.item.type !== 'command') return [];
      const { argv, by } = open.item;
      const command = { argv, output: open.tail, elapsedMs: now - open.startedAt, ...(by === undefined ? {} : { by }) };
      return liveCommand(command, options, most);
    }
    case 'other':
      return otherRows(open, now, options, most);
  }
}

function otherRows(
  { item, note, startedAt }: Extract<ProgressItem, { kind: 'other' }>,
  now: number,
  options: ViewOptions,
  most: number,
): Line[] {
  if (item.type === 'tool_call')
    return liveCall({ item, elapsedMs: now - startedAt, progress: note ?? '' }, options, most);
  return item.type === 'web_search' ? [cutRow([safeSpan(searchNote(item), { color: 'muted' })], options.columns)] : [];
}
