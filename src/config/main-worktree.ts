import { lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { realPath } from './real-path.ts';

const BARE = /^\s*bare\s*(?:=\s*(?:true|yes|on|1)\s*)?(?:[#;].*)?$/im;

/** Larger than any path. */
const LARGEST_BYTES = 64 * 1024;

/**
 * Returns the main worktree of the repository that a folder is a linked worktree of. A file `.git` can be written by
 * everyone who can write a folder, and may name any repository. So it counts only if the record of that repository names
 * this very file. Undefined for everything else: a submodule, a worktree that was moved by hand, a bare repository.
 */
export function mainWorktreeOf(root: string): string | undefined {
  const link = join(root, '.git');
  const target = /^gitdir: (.+)$/.exec(readShortFile(link) ?? '')?.[1];
  if (target === undefined) return undefined;
  const record = realPath(resolve(root, target));
  const common = dirname(dirname(record));
  if (basename(dirname(record)) !== 'worktrees' || basename(common) !== '.git') return undefined;
  const named = readShortFile(join(record, 'gitdir'));
  if (!named || realPath(resolve(record, named)) !== realPath(link)) return undefined;
  if (resolve(record, readShortFile(join(record, 'commondir')) ?? '') !== common) return undefined;
  return isBare(common) ? undefined : dirname(common);
}

/** Returns the text of a regular file without the end of its line. A link is not followed. */
function readShortFile(path: string): string | undefined {
  try {
    const stats = lstatSync(path);
    return stats.isFile() && stats.size <= LARGEST_BYTES ? readFileSync(path, 'utf8').replace(/\r?\n$/, '') : undefined;
  } catch {
    return undefined;
  }
}

/** Reports whether a repository has no main worktree. One whose settings cannot be read counts as bare. */
function isBare(common: string): boolean {
  const settings = readShortFile(join(common, 'config'));
  const own = readShortFile(join(common, 'config.worktree')) ?? '';
  return settings === undefined || [settings, own].some((text) => BARE.test(text));
}
