import type { FileChangeItem, ShownChange } from '../../base/event.ts';
import { changedNames } from '../../text/changed-names.ts';
import { type DiffRow, diffRows, renderDiff } from '../../text/diff-rows.ts';
import { type Line, span } from '../../text/span.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { LETTERS, MOST_DIFF_LINES, MOST_FILES, type PatchFormat } from './format-patch.ts';

const INDENT = 2;

/**
 * Returns a patch in rows of a terminal: a line for each file, followed by the changed lines with their numbers when they
 * are few. A patch that was not applied has no colours and no counts, since it must not look like a change.
 */
export function formatDiff(item: FileChangeItem, format: Omit<PatchFormat, 'style'>, width: number): Line[] {
  const applied = item.status === 'running' || item.status === 'completed';
  const lines: Line[] = [];
  let left = MOST_DIFF_LINES;
  for (const change of item.changes.slice(0, MOST_FILES)) {
    const rows = diffRows(change.diff);
    const shown = rows.slice(0, left);
    left -= shown.length;
    const hidden = rows.length - shown.length;
    lines.push(...wrapSpans(titleOf(change, rows, applied, format), width, { hanging: INDENT }));
    lines.push(...renderDiff(shown, { width, colored: applied, indent: INDENT }));
    if (hidden > 0) lines.push([span(`  … ${hidden} more lines`, { color: 'muted' })]);
  }
  const more = item.changes.length - MOST_FILES;
  if (more > 0) lines.push([span(`… ${more} more files`, { color: 'muted' })]);
  if (applied) return lines;
  const end = span(`  not applied${format.reason === undefined ? '' : `: ${format.reason}`}`, { color: 'error' });
  return [...lines, ...wrapSpans([end], width, { hanging: INDENT })];
}

function titleOf(
  change: ShownChange,
  rows: readonly DiffRow[],
  applied: boolean,
  format: Pick<PatchFormat, 'folder'>,
): Line {
  const names = changedNames(change, format.folder);
  if (!applied) return [span(`${names} (not applied)`, { color: 'muted' })];
  const count = (kind: DiffRow['kind']) => rows.filter((row) => row.kind === kind).length;
  return [
    span(LETTERS[change.kind], { color: 'accent' }),
    span(` ${names} (`),
    span(`+${count('added')}`, { color: 'added' }),
    span(' '),
    span(`-${count('removed')}`, { color: 'removed' }),
    span(')'),
  ];
}
