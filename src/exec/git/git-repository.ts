import { UserError } from '../../base/errors.ts';
import { type GitOptions, gitFailure, readGit, runGit } from './git.ts';
import { withoutFilters } from './without-filters.ts';

/** A repository with working files, seen from a folder in it. */
export interface Repository {
  /** Absolute path without symbolic links. */
  readonly root: string;
  /** Path of the folder below the root, with a slash at its end; empty at the root. */
  readonly prefix: string;
}

/** Returns the repository that contains a folder. Throws `UserError` when there is none. */
export async function findRepository(options: GitOptions): Promise<Repository> {
  const args = ['rev-parse', '--show-toplevel'];
  const output = await runGit(args, options);
  if (/not a git repository/.test(output.stderr))
    throw new UserError('not_found', `${options.cwd} is not in a git repository.`);
  if (output.exitCode !== 0) throw gitFailure(args, options.cwd, output);
  // Two calls, since the name of a folder may contain a newline.
  return { root: output.stdout.replace(/\n$/, ''), prefix: await readGit(['rev-parse', '--show-prefix'], options) };
}

/** Returns the full id of the commit that a branch, tag or id names; undefined unless it names exactly one. */
export async function findCommit(name: string, options: GitOptions): Promise<string | undefined> {
  // Git would read the first as an option, and no program accepts the second. Neither names a commit.
  if (name.startsWith('-') || name.includes('\0')) return undefined;
  const { exitCode, stdout } = await runGit(['rev-parse', '--verify', '--quiet', `${name}^{commit}`], options);
  // The check excludes a negated name such as ^main, which git accepts as well.
  return exitCode === 0 && /^[0-9a-f]{40,64}\n$/.test(stdout) ? stdout.trim() : undefined;
}

/** Returns the commit that is checked out. Throws `UserError` in a repository without commits. */
export async function findHead(options: GitOptions): Promise<string> {
  const head = await findCommit('HEAD', options);
  if (head === undefined)
    throw new UserError('not_found', `The git repository ${options.cwd} has no commits yet. Make one first.`);
  return head;
}

/**
 * Submodules count as changed if they are at another commit. Their files are not looked at: git would start another git
 * for each of them, which obeys the settings of the submodule.
 */
const SUBMODULES = '--ignore-submodules=dirty';

/** Reports whether anything is staged, changed or new. To be called at the root. */
export async function hasChanges(options: GitOptions): Promise<boolean> {
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal', SUBMODULES];
  return (await readGit(args, await withoutFilters(options))) !== '';
}

/** Reports whether tracked files, committed or not, differ from a commit. To be called at the root. */
export async function differsFrom(commit: string, options: GitOptions): Promise<boolean> {
  const args = ['diff', '--quiet', '--no-ext-diff', '--no-textconv', SUBMODULES, commit, '--'];
  const output = await runGit(args, await withoutFilters(options));
  if (output.exitCode > 1) throw gitFailure(args, options.cwd, output);
  return output.exitCode === 1;
}
