import type { RestoreChange, RestoreReport } from '../../app/threads/snapshots.ts';
import { visibleLine } from '../../base/visible-text.ts';

/** Most paths of a kind that are shown to people. */
const MOST_SHOWN = 200;

const WORDS: Readonly<Record<RestoreChange['action'], string>> = {
  create: 'bring back',
  update: 'write back',
  delete: 'delete',
  mode: 'set mode of',
};

/** Returns the changes that a restore would make. */
export function formatPlan({ workspace, changes, left }: RestoreReport): string {
  if (changes.length === 0) return 'There is nothing to restore: the workspace has not changed.\n';
  const rows = changes.map(({ action, path }) => `  ${WORDS[action].padEnd(11)}  ${visibleLine(path)}`);
  return [`In ${visibleLine(workspace ?? '')}:`, ...shortened(rows), ...leftRows(left)].join('\n').concat('\n');
}

/** Returns the changes that a restore made. `again` is the command that undoes it. */
export function formatDone({ workspace, changes, left }: RestoreReport, again: string): string {
  const failed = changes.filter(({ failure }) => failure !== null);
  const rows = failed.map(({ action, path, failure }) => `  ${WORDS[action]}  ${visibleLine(`${path}: ${failure}`)}`);
  const place = visibleLine(workspace ?? '');
  return [
    failed.length === 0
      ? `${place} is restored: ${countOf(changes.length)}.`
      : `${place} is restored in part: ${changes.length - failed.length} of ${countOf(changes.length)}. These failed:`,
    ...shortened(rows),
    ...leftRows(left),
    `To undo it: ${again}`,
  ]
    .join('\n')
    .concat('\n');
}

function countOf(count: number): string {
  return count === 1 ? '1 change' : `${count} changes`;
}

function leftRows(left: RestoreReport['left']): readonly string[] {
  if (left.length === 0) return [];
  const rows = left.map(({ path, reason }) => `  ${visibleLine(path)}: ${reason}`);
  return ['Not in the snapshot, so left alone:', ...shortened(rows)];
}

function shortened(rows: readonly string[]): readonly string[] {
  if (rows.length <= MOST_SHOWN) return rows;
  return [...rows.slice(0, MOST_SHOWN), `  and ${rows.length - MOST_SHOWN} more; --json lists all`];
}
