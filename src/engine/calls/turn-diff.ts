import type { PatchChange } from '../../base/action.ts';

/** A function that returns the change of one file as a git diff, which is empty if nothing changed. */
export type GitDiff = (change: DiffedChange) => string;

export interface DiffedChange {
  readonly path: string;
  readonly to?: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The net change of a turn's patches. It is computed without reading files again. */
export interface TurnDiff {
  /** Adds changes that were made. */
  add(changes: readonly PatchChange[]): void;
  /** Ends the diff for the rest of the turn, because the content of the files is no longer known. */
  invalidate(): void;
  /** Returns the net diff, or undefined if it is the same as the last one. */
  take(): Promise<string | undefined>;
}

/** Net change of one path: its content when the turn began, and its content now. */
interface Net {
  readonly before: string | null;
  readonly after: string | null;
  /** Path of this file when the turn began, if the file has moved. */
  readonly origin?: string;
}

/**
 * Returns an empty diff. `load` loads the function that writes diffs, when there is something to write. `show` returns
 * a path as diffs show it.
 */
export function createTurnDiff(load: () => Promise<GitDiff>, show: (path: string) => string): TurnDiff {
  const files = new Map<string, Net>();
  let valid = true;
  let changed = false;
  let last = '';

  return {
    add(changes) {
      for (const change of changes) apply(files, change);
      changed = true;
    },
    invalidate() {
      valid = false;
    },
    async take() {
      if (!valid || !changed) return undefined;
      changed = false;
      const gitDiff = await load();
      const diff = netChanges(files)
        .map(({ path, to, ...texts }) =>
          gitDiff({ path: show(path), ...(to === undefined ? {} : { to: show(to) }), ...texts }),
        )
        .join('');
      if (diff === last) return undefined;
      last = diff;
      return diff;
    },
  };
}

function apply(files: Map<string, Net>, { type, path, to, before, after }: PatchChange): void {
  const net = files.get(path) ?? { before, after: before };
  if (to !== undefined) {
    files.set(path, { before: net.before, after: null });
    files.set(to, { before: files.get(to)?.before ?? null, after, origin: net.origin ?? path });
  } else if (type === 'update') files.set(path, { ...net, after });
  else files.set(path, { before: net.before, after });
}

/**
 * Returns the changes in the order of their paths. A file that is gone and a file that came from there are one file
 * that moved.
 */
function netChanges(files: ReadonlyMap<string, Net>): DiffedChange[] {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const moved = new Map<string, string>();
  for (const [path, { before, origin }] of sorted) {
    const from = origin === undefined ? undefined : files.get(origin);
    if (before !== null || origin === undefined || moved.has(origin)) continue;
    if (from && from.before !== null && from.after === null) moved.set(origin, path);
  }
  return sorted.flatMap(([path, { before, after, origin }]) => {
    if (moved.has(path) || (before === null && after === null)) return [];
    if (origin === undefined || moved.get(origin) !== path) return [{ path, before, after }];
    return [{ path: origin, to: path, before: files.get(origin)?.before ?? null, after }];
  });
}
