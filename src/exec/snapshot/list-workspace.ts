import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { type GitCaller, type GitOptions, type GitOutput, runGit } from '../git/git.ts';
import { SnapshotFailure } from './snapshot-failure.ts';
import { diskPath } from './tree.ts';

/** The files of a workspace as git lists them. Paths are bytes, as in `Tree`. */
export interface Listing {
  /** Tracked files, existing or not, and files that are neither tracked nor ignored. */
  readonly files: readonly string[];
  /** Repositories inside the workspace. */
  readonly repositories: readonly string[];
  /** Ignored paths. A folder stands for everything in it. */
  readonly ignored: readonly string[];
  /** Folders that git could not read. */
  readonly unreadable: readonly string[];
}

export interface ListOptions extends Omit<GitCaller, 'confine'> {
  /** Path without links. */
  readonly root: string;
  /** Whether the workspace is a repository. */
  readonly isRepository: boolean;
  /**
   * Path of an empty repository. It is made for a workspace that is not a repository, so that git knows what to ignore.
   */
  readonly emptyRepository: string;
  readonly maxFiles: number;
  readonly signal: AbortSignal;
}

/** The signal limits the time instead. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Lists a workspace with git, in the user's own repository. Ignored files are then those that the user's git ignores,
 * tracked files are listed even if a pattern matches them, and nothing is written. Listing compares no contents, so no
 * filter runs. Throws `SnapshotFailure`.
 */
export async function listWorkspace(options: ListOptions): Promise<Listing> {
  const { root, isRepository, emptyRepository, maxFiles } = options;
  const git = isRepository ? [] : [`--git-dir=${makeEmptyRepository(emptyRepository)}`];
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const list = (tooMany: string, ...flags: string[]) => {
    const args = [...git, `--work-tree=${root}`, 'ls-files', '-z', '--exclude-standard', ...flags];
    const tell = () => stop.abort(new SnapshotFailure(`${tooMany} more than ${maxFiles} files (snapshots.max_files)`));
    return listPaths(args, { ...options, signal }, tell);
  };
  try {
    const [seen, ignored] = await Promise.all([
      list('it has', '--cached', '--others'),
      list('git ignores, one by one,', '--others', '--ignored', '--directory'),
    ]);
    return {
      files: seen.paths.filter((path) => !path.endsWith('/')),
      repositories: seen.paths.filter((path) => path.endsWith('/')).map(withoutSlash),
      ignored: ignored.paths.map(withoutSlash),
      unreadable: seen.unreadable,
    };
  } finally {
    stop.abort();
  }
}

async function listPaths(
  args: readonly string[],
  { root, env, untrustedFolders, maxFiles, signal }: ListOptions,
  onTooMany: () => void,
): Promise<Pick<Listing, 'unreadable'> & { readonly paths: readonly string[] }> {
  const paths = new Set<string>();
  let rest = '';
  const onStdout = (bytes: Buffer) => {
    const parts = (rest + bytes.toString('latin1')).split('\0');
    rest = parts.pop() ?? '';
    for (const path of parts) paths.add(path);
    if (paths.size > maxFiles) onTooMany();
  };
  const git = { cwd: root, env: confined(env, root), untrustedFolders, timeoutMs: NO_TIMEOUT_MS, onStdout, signal };
  const { exitCode, stderr } = await startGit(args, git);
  signal.throwIfAborted();
  if (exitCode !== 0) throw new SnapshotFailure(`git could not list its files: ${stderr.trim().slice(0, 500)}`);
  const closed = stderr.matchAll(/^warning: could not open directory '(.+?)\/?': /gm);
  return { paths: [...paths], unreadable: [...closed].map(([, path = '']) => diskPath(path)) };
}

/** Returns variables that keep git in the workspace. */
function confined(env: GitOptions['env'], root: string): GitOptions['env'] {
  return {
    ...env,
    GIT_CEILING_DIRECTORIES: dirname(root),
    GIT_NO_REPLACE_OBJECTS: '1',
  };
}

async function startGit(args: readonly string[], git: GitOptions): Promise<GitOutput> {
  try {
    return await runGit(args, git);
  } catch (error) {
    if (error instanceof UserError) throw new SnapshotFailure(`its files could not be listed: ${error.message}`);
    throw error;
  }
}

function makeEmptyRepository(path: string): string {
  if (existsSync(join(path, 'HEAD'))) return path;
  for (const folder of ['objects', 'refs']) mkdirSync(join(path, folder), { recursive: true, mode: 0o700 });
  writeFileSync(join(path, 'HEAD'), 'ref: refs/heads/main\n');
  return path;
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, '');
}
