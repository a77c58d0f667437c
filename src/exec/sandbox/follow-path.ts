import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { isInside } from '../../base/guarded-paths.ts';

/** The way that the system takes to a path. */
export interface FollowedPath {
  /** Every name that is looked up, in a folder without links. Each may be replaced by a process that can write there. */
  readonly lookups: readonly string[];
  /** Looked-up names that are links. */
  readonly links: readonly string[];
  /** Path without links, whether it exists or not. */
  readonly end: string;
  readonly exists: boolean;
}

/** The limit of the system. */
const MOST_LINKS = 40;

/** Follows an absolute path as the system does. A path with too many links ends at the link where the system gives up. */
export function followPath(path: string): FollowedPath {
  const lookups: string[] = [];
  const links: string[] = [];
  const names = path.split('/').reverse();
  let end = '/';
  let exists = true;
  while (names.length > 0) {
    const name = names.pop();
    if (name === undefined || name === '' || name === '.') continue;
    if (name === '..') {
      end = dirname(end);
      continue;
    }
    const entry = join(end, name);
    lookups.push(entry);
    const target = links.length < MOST_LINKS ? targetOf(entry) : undefined;
    if (typeof target !== 'string') {
      exists &&= target === null;
      end = entry;
      continue;
    }
    links.push(entry);
    if (isAbsolute(target)) end = '/';
    names.push(...target.split('/').reverse());
  }
  return { lookups, links, end, exists };
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

/** Returns the target of a link, null for another entry, and undefined for no entry. */
function targetOf(entry: string): string | null | undefined {
  try {
    // Most entries are not links, and an error for each would cost more than the question.
    const stat = lstatSync(entry, { throwIfNoEntry: false });
    return stat?.isSymbolicLink() ? readlinkSync(entry) : stat && null;
  } catch {
    return undefined;
  }
}
