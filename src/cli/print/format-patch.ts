import type { FileChangeItem, ShownChange } from '../../base/event.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

const MOST_FILES = 20;
const MOST_DIFF_LINES = 40;

/** Returns a patch for people: a line for each file, followed by the changed lines when they are few. */
export function formatPatch({ changes, status }: FileChangeItem, style: Style, folder?: string): string {
  let left = MOST_DIFF_LINES;
  const lines = changes.slice(0, MOST_FILES).flatMap((change) => {
    const body = hunksOf(change);
    const shown = body.slice(0, left);
    left -= shown.length;
    const hidden = body.length - shown.length;
    const rest = hidden === 0 ? [] : [style.dim(`  … ${hidden} more lines`)];
    return [titleOf(change, body, style, folder), ...shown.map((line) => colored(line, style)), ...rest];
  });
  const more = changes.length - MOST_FILES;
  const ends = { running: [], completed: [], failed: ['not applied'], declined: ['not allowed'] }[status];
  return [
    ...lines,
    ...(more > 0 ? [style.dim(`… ${more} more files`)] : []),
    ...ends.map((end) => style.red(`  ${end}`)),
  ].join('\n');
}

const LETTERS = { add: 'A', update: 'M', delete: 'D' } as const;

function titleOf(
  { kind, path, to }: ShownChange,
  body: readonly string[],
  style: Style,
  folder: string | undefined,
): string {
  const count = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
  const names = [path, ...(to === undefined ? [] : [to])].map((name) => printable(below(folder, name)));
  return `${style.cyan(LETTERS[kind])} ${names.join(' -> ')} ${style.dim(`+${count('+')} -${count('-')}`)}`;
}

function below(folder: string | undefined, path: string): string {
  const start = `${folder}/`;
  return folder !== undefined && path.startsWith(start) ? path.slice(start.length) : path;
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
