import type { FileChangeItem, ShownChange } from '../../base/event.ts';
import { changedNames } from '../../text/changed-names.ts';
import { printable } from '../../text/visible.ts';
import type { Style } from './style.ts';

export const MOST_FILES = 20;
export const MOST_DIFF_LINES = 40;

export interface PatchFormat {
  readonly style: Style;
  /** Folder that paths below it are shown relative to. */
  readonly folder?: string | undefined;
  /** Why the patch was not applied. */
  readonly reason?: string | undefined;
}

/**
 * Returns a patch for people: a line for each file, followed by the changed lines when they are few. A patch that was
 * not applied has no colours and no counts, since it must not look like a change.
 */
export function formatPatch({ changes, status }: FileChangeItem, format: PatchFormat): string {
  const { style, reason } = format;
  const applied = status === 'running' || status === 'completed';
  let left = MOST_DIFF_LINES;
  const lines = changes.slice(0, MOST_FILES).flatMap((change) => {
    const body = hunksOf(change);
    const shown = body.slice(0, left);
    left -= shown.length;
    const hidden = body.length - shown.length;
    const rest = hidden === 0 ? [] : [style.dim(`  … ${hidden} more lines`)];
    const title = applied
      ? titleOf(change, body, format)
      : style.dim(`${changedNames(change, format.folder)} (not applied)`);
    return [title, ...shown.map((line) => (applied ? colored(line, style) : uncolored(line, style))), ...rest];
  });
  const more = changes.length - MOST_FILES;
  return [
    ...lines,
    ...(more > 0 ? [style.dim(`… ${more} more files`)] : []),
    ...(applied ? [] : [style.red(`  not applied${reason === undefined ? '' : `: ${reason}`}`)]),
  ].join('\n');
}

export const LETTERS = { add: 'A', update: 'M', delete: 'D' } as const;

function titleOf(change: ShownChange, body: readonly string[], format: PatchFormat): string {
  const { style } = format;
  const count = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
  const counts = style.dim(`+${count('+')} -${count('-')}`);
  return `${style.cyan(LETTERS[change.kind])} ${changedNames(change, format.folder)} ${counts}`;
}

/** Returns the lines of a diff below its header. */
function hunksOf({ diff }: ShownChange): string[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const start = lines.findIndex((line) => line.startsWith('@@ '));
  return start === -1 ? [] : lines.slice(start);
}

function colored(line: string, style: Style): string {
  const text = `  ${printable(line)}`;
  if (line.startsWith('+')) return style.green(text);
  return line.startsWith('-') ? style.red(text) : style.dim(text);
}

const uncolored = (line: string, style: Style) => style.dim(`  ${printable(line)}`);
