import type { FileChangeItem, ShownChange } from '../../base/event.ts';
import { changedNames } from '../../text/changed-names.ts';
import { type DiffRow, diffRows, renderDiff } from '../../text/diff-rows.ts';
import { firstLine } from '../../text/first-line.ts';
import { type Line, span } from '../../text/span.ts';
import { visible } from '../../text/visible.ts';
import { wrapSpans } from '../../text/wrap.ts';
import { foldNote } from './fold-note.ts';
import { proseWidth, signsOf, type ViewOptions } from './view-options.ts';

const MOST_FILES = 20;
const MOST_ROWS = 40;

/**
 * Returns the rows of a patch: a line for each file, and the changed lines with their numbers as long as they are few. A
 * patch that was not applied has no colours, since it must not look like a change.
 */
export function fileChangeRows(item: FileChangeItem, options: ViewOptions, mostRows = MOST_ROWS): Line[] {
  const applied = item.status === 'completed' || item.status === 'running';
  const rows: Line[] = [];
  let left = mostRows;
  let hidden = 0;
  for (const change of item.changes.slice(0, MOST_FILES)) {
    const diff = diffRows(change.diff);
    rows.push(titleOf(change, diff, applied, options));
    const shown = renderDiff(
      diff.slice(0, left).map((row) => withSigns(row, options)),
      {
        // Lines are left to the terminal, like all code.
        width: Infinity,
        colored: applied,
        indent: 0,
      },
    );
    rows.push(...shown);
    hidden += diff.length - Math.min(diff.length, left);
    left = Math.max(0, left - diff.length);
  }
  if (hidden > 0) rows.push(foldNote(hidden, 'rows', 'Ctrl-O', options));
  const more = item.changes.length - MOST_FILES;
  if (more > 0) rows.push(foldNote(more, 'files', 'Ctrl-O', options));
  return applied ? rows : [...rows, ...refusalRows(item, options)];
}

function withSigns(row: DiffRow, { unicode }: ViewOptions): DiffRow {
  return row.kind === 'gap' && !unicode ? { ...row, text: ':' } : row;
}

const NOTES: Readonly<Record<ShownChange['kind'], string>> = { add: ' (new)', delete: ' (deleted)', update: '' };

function titleOf(change: ShownChange, rows: readonly DiffRow[], applied: boolean, options: ViewOptions): Line {
  const { minus, arrow } = signsOf(options);
  const count = (kind: DiffRow['kind']) => rows.filter((row) => row.kind === kind).length;
  const names = visible(changedNames(change, options.cwd, arrow).replace(/[\n\t]/g, ' '));
  const note = change.to === undefined ? NOTES[change.kind] : ' (moved)';
  if (!applied) return [span(`${names}${note}`, { color: 'muted' })];
  return [
    span(`+${count('added')}`, { color: 'added' }),
    span(' '),
    span(`${minus}${count('removed')}`, { color: 'removed' }),
    span(' '),
    span(names, { bold: true }),
    ...(note === '' ? [] : [span(note, { color: 'muted' })]),
  ];
}

function refusalRows({ status, reason }: FileChangeItem, options: ViewOptions): Line[] {
  const why = reason === undefined ? '' : `: ${firstLine(reason.message)}`;
  const text = `${status === 'declined' ? 'not applied' : 'failed'}${why}`;
  return wrapSpans([span(text, { color: 'error' })], proseWidth(options), { hanging: 2 });
}
