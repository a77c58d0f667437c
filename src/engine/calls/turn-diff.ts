import type { PatchChange } from '../../base/action.ts';

/** The change of one file as a git diff; empty when there is none. */
export type GitDiff = (change: DiffedChange) => string;

export interface DiffedChange {
  readonly path: string;
  readonly to?: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What the patches of a turn have changed, taken together. Files are not read again for it. */
export interface TurnDiff {
  /** These changes were made. */
  add(changes: readonly PatchChange[]): void;
  /** Nobody knows any more what the files hold: there is no diff from now on. */
  invalidate(): void;
  /** The net diff, if it is another than the one that was last taken. */
  take(): Promise<string | undefined>;
}

/** A path that was written to: what it held when the turn began, and what it holds now. */
interface Net {
  readonly before: string | null;
  readonly after: string | null;
  /** Where the file that is there now was when the turn began, if it moved. */
  readonly origin?: string;
}

/** `load` gives what writes diffs, when there is something to write. `show` is how a path stands in them. */
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

/** In the order of the paths. A file that is gone and one that came from there are a file that moved. */
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
