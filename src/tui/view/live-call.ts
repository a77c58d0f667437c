import type { ToolCallItem } from '../../base/event.ts';
import { type Line, span } from '../../text/span.ts';
import { callTitle } from './call-rows.ts';
import { cutRow, safeSpan } from './safe-row.ts';
import { signsOf, type ViewOptions } from './view-options.ts';

/** A call that runs. */
export interface LiveCallState {
  readonly item: ToolCallItem;
  readonly elapsedMs: number;
  /** The last words of the tool about its progress. Empty if there were none. */
  readonly progress: string;
}

/** Returns the rows of a call that runs: the tool with its arguments and the seconds so far, and its progress. */
export function liveCall({ item, elapsedMs, progress }: LiveCallState, options: ViewOptions, maxRows: number): Line[] {
  const columns = Math.max(1, options.columns);
  const time = elapsedMs < 1000 ? '' : ` ${signsOf(options).dot} ${Math.floor(elapsedMs / 1000)} s`;
  const room = columns - time.length;
  const title = room < 8 ? cutRow(callTitle(item), columns) : [...cutRow(callTitle(item), room), span(time, MUTED)];
  const last = progress.trim().split('\n').at(-1) ?? '';
  return [title, ...(last === '' ? [] : [cutRow([safeSpan(last, MUTED)], columns)])].slice(0, Math.max(0, maxRows));
}

const MUTED = { color: 'muted' } as const;
