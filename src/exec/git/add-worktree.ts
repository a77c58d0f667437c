import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, UserError } from '../../base/errors.ts';
import { type GitOptions, readGit, runGit } from './git.ts';
import type { Repository } from './git-repository.ts';

export interface WorktreeOptions {
  readonly repository: Repository;
  readonly commit: string;
  /** Made by us, and deleted again when it fails. The worktree is a folder in it, named like the repository's. */
  readonly folder: string;
  readonly env: GitOptions['env'];
  readonly signal?: AbortSignal;
}

/** A large repository takes a while to check out. */
const CHECKOUT_TIMEOUT_MS = 120_000;

/**
 * Makes a worktree at a commit, on no branch. `cwd` is the folder in it from which the repository was seen, or the top where
 * the commit has no such folder. Throws `UserError`, and leaves nothing behind then.
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

/** For the user's eyes only, since the repository itself may be. */
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

/** In the commit there may be nothing of that name, or a file, or a link to anywhere. */
async function isRealFolder(path: string): Promise<boolean> {
  try {
    return (await realpath(path)) === path && (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function undo(path: string, folder: string, git: GitOptions): Promise<void> {
  // Twice: git keeps a worktree locked until it is complete.
  await runGit(['worktree', 'remove', '--force', '--force', path], git).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
}
