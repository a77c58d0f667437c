import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { type GitOptions, type GitOutput, runGit } from '../git/git.ts';
import { SnapshotFailure } from './snapshot-failure.ts';
import { diskPath } from './tree.ts';

/** What git sees in a workspace. Paths are bytes, as in `Tree`. */
export interface Listing {
  /** Tracked ones, whether they are there or not, and those that are neither tracked nor ignored. */
  readonly files: readonly string[];
  /** Repositories inside of it. */
  readonly repositories: readonly string[];
  /** What is ignored; a folder stands for all that is in it. */
  readonly ignored: readonly string[];
  /** Folders that git could not look into. */
  readonly unreadable: readonly string[];
}

export interface ListOptions {
  /** Without links. */
  readonly root: string;
  /** Whether it is a repository. */
  readonly isRepository: boolean;
  /** An empty repository is made there for a workspace that is none: git then knows what to ignore. */
  readonly emptyRepository: string;
  readonly env: GitOptions['env'];
  readonly maxFiles: number;
  readonly signal: AbortSignal;
}

/** The signal says when it takes too long. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Git only lists, in the user's own repository: what is ignored is then what the user's git ignores, tracked files that a
 * pattern fits are seen, and nothing is written. Listing compares no content, so it asks no filter. Throws `NotKept`.
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
  { root, env, maxFiles, signal }: ListOptions,
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
  const git = { cwd: root, env: confined(env, root), timeoutMs: NO_TIMEOUT_MS, onStdout, signal };
  const { exitCode, stderr } = await startGit(args, git);
  signal.throwIfAborted();
  if (exitCode !== 0) throw new SnapshotFailure(`git could not list its files: ${stderr.trim().slice(0, 500)}`);
  const closed = stderr.matchAll(/^warning: could not open directory '(.+?)\/?': /gm);
  return { paths: [...paths], unreadable: [...closed].map(([, path = '']) => diskPath(path)) };
}

/** Whatever a repository says of itself, git stays in it, starts nothing and fetches nothing. */
function confined(env: GitOptions['env'], root: string): GitOptions['env'] {
  return {
    ...env,
    GIT_CEILING_DIRECTORIES: dirname(root),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
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
