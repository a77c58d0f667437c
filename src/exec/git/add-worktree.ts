import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { type GitCaller, type GitOptions, readGit, runGit } from './git.ts';
import type { Repository } from './git-repository.ts';
import { filterNames, withoutFilters } from './without-filters.ts';

export interface WorktreeOptions extends Omit<GitCaller, 'confine'> {
  readonly repository: Repository;
  readonly commit: string;
  /**
   * Folder that is made for the worktree, and deleted after a failure. The worktree is a folder in it, named like the
   * repository's.
   */
  readonly folder: string;
  readonly signal?: AbortSignal;
}

/** Checking out a large repository takes a while. */
const CHECKOUT_TIMEOUT_MS = 120_000;

/** A worktree that was made. */
export interface AddedWorktree {
  readonly path: string;
  /** Folder from which the repository was found, in the worktree; its top if the commit has no such folder. */
  readonly cwd: string;
  /** Names of the filters that files of the worktree would have gone through. They are as git stores them. */
  readonly unfiltered: readonly string[];
}

/** Makes a worktree at a commit, on no branch. Throws `UserError`, and leaves nothing behind then. */
export async function addWorktree(options: WorktreeOptions): Promise<AddedWorktree> {
  const { repository, commit, folder, env, untrustedFolders, signal } = options;
  const path = join(folder, basename(repository.root) || 'repository');
  const plain: GitOptions = { cwd: repository.root, env, untrustedFolders };
  const git: GitOptions = { ...plain, timeoutMs: CHECKOUT_TIMEOUT_MS, ...(signal ? { signal } : {}) };
  await makeFolder(folder);
  try {
    await readGit(['worktree', 'add', '--quiet', '--detach', '--no-checkout', path, commit], git);
    // Only now, since settings may be included for worktrees alone.
    await readGit(['reset', '--quiet', '--hard'], await withoutFilters({ ...git, cwd: path }));
    return { ...(await placesIn(path, repository.prefix)), unfiltered: await findUnfiltered({ ...git, cwd: path }) };
  } catch (error) {
    await undo(path, folder, plain);
    throw error;
  }
}

async function findUnfiltered(git: GitOptions): Promise<string[]> {
  const found: string[] = [];
  for (const name of await filterNames(git)) {
    // Attributes have no other values.
    if (!/^[\w.-]+$/.test(name)) continue;
    if ((await readGit(['ls-files', '--', `:(attr:filter=${name})`], git)) !== '') found.push(name);
  }
  return found;
}

/** Makes the folder for the user alone, since the repository may be private. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw new UserError('storage', `The folder for the worktree could not be made: ${fileFault(error)}.`, {
      cause: error,
    });
  }
}

async function placesIn(path: string, prefix: string): Promise<{ path: string; cwd: string }> {
  const top = await realpath(path);
  const cwd = join(top, prefix).replace(/\/$/, '');
  return { path: top, cwd: (await isRealFolder(cwd)) ? cwd : top };
}

/** Reports whether a path is a folder without links. The commit may have a file or a link of that name, or nothing. */
async function isRealFolder(path: string): Promise<boolean> {
  try {
    return (await realpath(path)) === path && (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function undo(path: string, folder: string, git: GitOptions): Promise<void> {
  // `--force` twice: git keeps a worktree locked until it is complete.
  await runGit(['worktree', 'remove', '--force', '--force', path], git).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}
