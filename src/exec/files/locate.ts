import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, systemError } from './system-error.ts';

/** Most links in a path, as in Linux. */
const MOST_LINKS = 40;

/**
 * Returns the absolute path to which a path leads, without links as far as it exists. A link to a missing target leads
 * to the path of the target. Throws the error of the system where the path cannot be examined.
 */
export function locate(path: string): string {
  return follow(resolve(path), MOST_LINKS);
}

function follow(path: string, linksLeft: number): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
    if (!isMissing || path === dirname(path)) throw error;
  }
  const entry = join(follow(dirname(path), linksLeft), basename(path));
  const target = readLink(entry);
  if (target === undefined) return entry;
  if (linksLeft === 0) throw systemError('ELOOP', 'too many symbolic links encountered', path);
  return follow(resolve(dirname(entry), target), linksLeft - 1);
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
