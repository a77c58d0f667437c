import { resolve } from 'node:path';
import { addWorktree } from '../../exec/git/add-worktree.ts';
import { type GitPlace, readGit } from '../../exec/git/git.ts';
import { findHead, findRepository, hasChanges } from '../../exec/git/git-repository.ts';
import { quoteArgv } from '../../shell/quote.ts';

export interface CreateWorktreeOptions {
  /** A folder in the repository. */
  readonly cwd: string;
  /** The worktree becomes `<home>/worktrees/<id>/<name of the repository's folder>`. */
  readonly home: string;
  readonly id: string;
  readonly env: GitPlace['env'];
  readonly signal?: AbortSignal;
}

export interface Worktree {
  readonly path: string;
  /** The folder in it that corresponds to the one it was made from. */
  readonly cwd: string;
  /** The commit that it was made at. */
  readonly commit: string;
  /** The top of the repository that it belongs to. */
  readonly repository: string;
  /** For the user: where the work happens, and what is not there. */
  readonly note: string;
}

export interface WorktreeState {
  /** Whether anything in it is not committed. */
  readonly changed: boolean;
  /** How many commits were made in it. */
  readonly commits: number;
  /** For the user: what is in it, and the commands to look at it, take it over and remove it. */
  readonly text: string;
}

/** Makes a worktree of a repository at its HEAD, on no branch. Throws `UserError` where there is none, or no commit. */
export async function createWorktree(options: CreateWorktreeOptions): Promise<Worktree> {
  const { cwd, home, id, env, signal } = options;
  const place: GitPlace = { cwd, env, ...(signal ? { signal } : {}) };
  const repository = await findRepository(place);
  const top = { ...place, cwd: repository.root };
  const commit = await findHead(top);
  const leftBehind = await hasChanges(top);
  const made = await addWorktree({ ...top, repository, commit, folder: resolve(home, 'worktrees', id) });
  const missingFolder = made.cwd === made.path ? repository.prefix : '';
  return {
    ...made,
    commit,
    repository: repository.root,
    note: [
      `Working in the git worktree ${made.path}, at commit ${short(commit)}.`,
      ...(leftBehind ? [`What is not committed in ${repository.root} is not in it.`] : []),
      ...(missingFolder === '' ? [] : [`That commit has no folder ${missingFolder}, so the work starts at the top.`]),
    ].join(' '),
  };
}

/** What has become of a worktree, and how to go on with it. */
export async function describeWorktree(
  worktree: Pick<Worktree, 'path' | 'commit' | 'repository'>,
  { env, signal }: Pick<GitPlace, 'env' | 'signal'>,
): Promise<WorktreeState> {
  const { path, commit } = worktree;
  const place: GitPlace = { cwd: path, env, ...(signal ? { signal } : {}) };
  const changed = await hasChanges(place);
  const head = await findHead(place);
  const commits = Number(await readGit(['rev-list', '--count', `${commit}..${head}`], place));
  const content = contentOf(changed, commits);
  const commands = content === undefined ? [] : takeOver(worktree, changed ? undefined : head);
  return {
    changed,
    commits,
    text: [
      `The git worktree ${path} has ${content ?? 'no changes'}.`,
      ...commands,
      `To remove it: ${git(worktree.repository, 'worktree', 'remove', ...(changed ? ['--force'] : []), path)}`,
    ].join('\n'),
  };
}

function contentOf(changed: boolean, commits: number): string | undefined {
  const parts = [
    ...(commits === 0 ? [] : [commits === 1 ? '1 new commit' : `${commits} new commits`]),
    ...(changed ? ['changes that are not committed'] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** With a head, its commits are all there is to take over. */
function takeOver({ path, commit, repository }: Pick<Worktree, 'path' | 'commit' | 'repository'>, head?: string) {
  const base = short(commit);
  if (head !== undefined) {
    return [
      `To look at it: ${git(path, 'log', '-p', `${base}..`)}`,
      `To merge it: ${git(repository, 'merge', short(head))}`,
    ];
  }
  // The plumbing command: what it prints can be applied whatever the user's settings for diffs are.
  const patch = git(path, 'diff-index', '--cached', '--binary', base);
  return [
    `To look at it: ${git(path, 'add', '--all')} && ${git(path, 'diff', '--staged', base)}`,
    `To merge it: ${git(path, 'add', '--all')} && ${patch} | ${git(repository, 'apply')}`,
  ];
}

const git = (folder: string, ...args: string[]) => quoteArgv(['git', '-C', folder, ...args]);

const short = (commit: string) => commit.slice(0, 12);
