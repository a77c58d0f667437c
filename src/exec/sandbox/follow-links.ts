import { lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';

export interface FollowedPath {
  /** Path without links. */
  readonly path: string;
  /** The links that the path leads through. The folder of each link is free of links. */
  readonly links: readonly string[];
}

/** Most links in a path, as in Linux. */
const MOST_LINKS = 40;

/** Follows an absolute path link by link. Returns undefined where it leads to nothing. */
export function followLinks(path: string): FollowedPath | undefined {
  const links: string[] = [];
  let done = parse(path).root;
  let names = namesOf(path);
  while (names.length > 0) {
    const [name = '', ...rest] = names;
    const entry = join(done, name);
    const target = targetOf(entry);
    if (target === undefined || links.length > MOST_LINKS) return undefined;
    names = rest;
    if (target === '') {
      done = entry;
      continue;
    }
    links.push(entry);
    done = parse(entry).root;
    names = [...namesOf(resolve(dirname(entry), target)), ...rest];
  }
  return { path: done, links };
}

/** Follows an absolute path as far as it exists. The names after that are added as they are. */
export function followExisting(path: string): FollowedPath {
  const followed = followLinks(path);
  if (followed !== undefined) return followed;
  const parent = followExisting(dirname(path));
  return { path: join(parent.path, basename(path)), links: parent.links };
}

function namesOf(path: string): string[] {
  return resolve(path)
    .slice(parse(path).root.length)
    .split(sep)
    .filter((name) => name !== '');
}

/** Returns the target of a link, the empty string for any other entry, and undefined for no entry. */
function targetOf(entry: string): string | undefined {
  try {
    return lstatSync(entry).isSymbolicLink() ? readlinkSync(entry) : '';
  } catch {
    return undefined;
  }
}
