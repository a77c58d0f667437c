import { resolve } from 'node:path';
import { addWorktree } from '../../exec/git/add-worktree.ts';
import { type GitCaller, type GitOptions, readGit } from '../../exec/git/git.ts';
import { findHead, findRepository, hasChanges } from '../../exec/git/git-repository.ts';
import { quoteArgv } from '../../shell/quote.ts';

export interface CreateWorktreeOptions {
  /** A folder in the repository. */
  readonly cwd: string;
  /** Home of the agent. The worktree becomes `<home>/worktrees/<id>/<name of the repository's folder>`. */
  readonly home: string;
  readonly id: string;
  readonly git: GitCaller;
  readonly signal?: AbortSignal;
}

export interface Worktree {
  readonly path: string;
  /** Folder of the worktree that corresponds to the folder it was made from. */
  readonly cwd: string;
  /** Commit that the worktree was made at. */
  readonly commit: string;
  /** Top folder of the repository that the worktree belongs to. */
  readonly repository: string;
  /** Sentences for the user: where the work happens, and what the worktree lacks. */
  readonly note: string;
}

export interface WorktreeState {
  /** Whether the worktree has changes that are not committed. */
  readonly changed: boolean;
  /** Number of commits made in the worktree. */
  readonly commits: number;
  /** Lines for the user: the content of the worktree, and the commands to look at it, merge it and remove it. */
  readonly text: string;
}

/**
 * Makes a worktree of a repository at its HEAD, on no branch. Throws `UserError` when there is no repository, or when
 * it has no commit.
 */
export async function createWorktree(options: CreateWorktreeOptions): Promise<Worktree> {
  const { cwd, home, id, git, signal } = options;
  const place: GitOptions = { ...git, cwd, ...(signal ? { signal } : {}) };
  const repository = await findRepository(place);
  const top = { ...place, cwd: repository.root };
  const commit = await findHead(top);
  const leftBehind = await hasChanges(top);
  const folder = resolve(home, 'worktrees', id);
  const { unfiltered, ...made } = await addWorktree({ ...top, repository, commit, folder });
  const missingFolder = made.cwd === made.path ? repository.prefix : '';
  return {
    ...made,
    commit,
    repository: repository.root,
    note: [
      `Working in the git worktree ${made.path}, at commit ${short(commit)}.`,
      ...(leftBehind ? [`Uncommitted changes of ${repository.root} are not in it.`] : []),
      ...(missingFolder === '' ? [] : [`That commit has no folder ${missingFolder}, so the work starts at the top.`]),
      ...(unfiltered.length === 0 ? [] : [filterNote(unfiltered)]),
    ].join(' '),
  };
}

function filterNote(names: readonly string[]): string {
  const [what, them] = names.length === 1 ? ['The filter', 'it'] : ['The filters', 'them'];
  return `${what} ${names.join(', ')} did not run: files that go through ${them} are as git stores them.`;
}

/** Returns the state of a worktree and the commands to continue with it. */
export async function describeWorktree(
  worktree: Pick<Worktree, 'path' | 'commit' | 'repository'>,
  { git, signal }: Pick<CreateWorktreeOptions, 'git' | 'signal'>,
): Promise<WorktreeState> {
  const { path, commit } = worktree;
  const place: GitOptions = { ...git, cwd: path, ...(signal ? { signal } : {}) };
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
      `To remove it: ${gitLine(worktree.repository, 'worktree', 'remove', ...(changed ? ['--force'] : []), path)}`,
    ].join('\n'),
  };
}

function contentOf(changed: boolean, commits: number): string | undefined {
  const parts = [
    ...(commits === 0 ? [] : [commits === 1 ? '1 new commit' : `${commits} new commits`]),
    ...(changed ? ['uncommitted changes'] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

/** Returns the commands to look at a worktree and to merge it. With a `head`, all of its changes are committed. */
function takeOver({ path, commit, repository }: Pick<Worktree, 'path' | 'commit' | 'repository'>, head?: string) {
  const base = short(commit);
  if (head !== undefined) {
    return [
      `To look at it: ${gitLine(path, 'log', '-p', `${base}..`)}`,
      `To merge it: ${gitLine(repository, 'merge', short(head))}`,
    ];
  }
  // The output of this plumbing command can be applied under any diff settings of the user.
  const patch = gitLine(path, 'diff-index', '--cached', '--binary', base);
  return [
    `To look at it: ${gitLine(path, 'add', '--all')} && ${gitLine(path, 'diff', '--staged', base)}`,
    `To merge it: ${gitLine(path, 'add', '--all')} && ${patch} | ${gitLine(repository, 'apply')}`,
  ];
}

const gitLine = (folder: string, ...args: string[]) => quoteArgv(['git', '-C', folder, ...args]);

const short = (commit: string) => commit.slice(0, 12);
