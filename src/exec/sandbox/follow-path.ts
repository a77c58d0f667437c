import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isInside } from '../../base/guarded-paths.ts';

/** The way that the system takes to a path. */
export interface FollowedPath {
  /** Every name that is looked up, in a folder without links. Each may be replaced by a process that can write there. */
  readonly lookups: readonly string[];
  /** Path without links, whether it exists or not. */
  readonly end: string;
}

/** The limit of the system. */
const MOST_LINKS = 40;

/** Follows an absolute path as the system does. A path with too many links ends at the link where the system gives up. */
export function followPath(path: string): FollowedPath {
  const lookups: string[] = [];
  const names = path.split('/').reverse();
  let end = '/';
  let links = 0;
  while (names.length > 0) {
    const name = names.pop();
    if (name === undefined || name === '' || name === '.') continue;
    if (name === '..') {
      end = dirname(end);
      continue;
    }
    const entry = join(end, name);
    lookups.push(entry);
    const target = links < MOST_LINKS ? targetOf(entry) : undefined;
    if (target === undefined) {
      end = entry;
      continue;
    }
    links += 1;
    if (isAbsolute(target)) end = '/';
    names.push(...target.split('/').reverse());
  }
  return { lookups, end };
}

/** Reports whether a path leads through one of the folders, so that a process that can write there can change its end. */
export function leadsThrough(path: string, folders: readonly string[]): boolean {
  const { lookups } = followPath(path);
  const real = folders.map(withoutLinks);
  return lookups.some((entry) => real.some((folder) => entry === folder || isInside(entry, folder)));
}

/** Returns a path without links; the path itself where nothing exists. */
export function withoutLinks(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function targetOf(entry: string): string | undefined {
  try {
    // Most entries are not links, and an error for each would cost more than the question.
    return lstatSync(entry, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(entry) : undefined;
  } catch {
    return undefined;
  }
}
