import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, UserError } from '../../base/errors.ts';
import { type GitOptions, readGit, runGit } from './git.ts';
import type { Repository } from './git-repository.ts';

export interface WorktreeOptions {
  readonly repository: Repository;
  readonly commit: string;
  /**
   * Folder that is made for the worktree, and deleted after a failure. The worktree is a folder in it, named like the
   * repository's.
   */
  readonly folder: string;
  readonly env: GitOptions['env'];
  readonly signal?: AbortSignal;
}

/** Checking out a large repository takes a while. */
const CHECKOUT_TIMEOUT_MS = 120_000;

/**
 * Makes a worktree at a commit, on no branch. `cwd` is the folder in it from which the repository was found, or its top
 * if the commit has no such folder. Throws `UserError`, and leaves nothing behind then.
 */
export async function addWorktree(options: WorktreeOptions): Promise<{ path: string; cwd: string }> {
  const { repository, commit, folder, env, signal } = options;
  const path = join(folder, basename(repository.root) || 'repository');
  const git: GitOptions = { cwd: repository.root, env, ...(signal ? { signal } : {}) };
  await makeFolder(folder);
  try {
    const args = ['worktree', 'add', '--quiet', '--detach', path, commit];
    await readGit(args, { ...git, timeoutMs: CHECKOUT_TIMEOUT_MS });
    return await placesIn(path, repository.prefix);
  } catch (error) {
    await undo(path, folder, { cwd: repository.root, env });
    throw error;
  }
}

/** Makes the folder for the user alone, since the repository may be private. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw new UserError('storage', `The folder for the worktree could not be made: ${messageOf(error)}`, {
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
