import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type GitCaller, runGit } from '../git/git.ts';
import { walkFiles } from './walk-files.ts';

/** The names of the files of a folder, listed in the background. */
export interface FileIndex {
  /**
   * Lists the files again if they may have changed: the index of the repository is newer, or the folder where there is
   * none. Does nothing while files are listed.
   */
  refresh(): void;
  /** Stops listing. No listener is called after that. */
  close(): void;
}

/** Listeners of an index, and its folder. */
export interface FileIndexOptions {
  readonly cwd: string;
  /** Returns how git is run. */
  git(): Promise<GitCaller>;
  /** Called before files are listed: the names so far do not count from then on. */
  onBegin?(): void;
  /** Called with more names: paths below the folder, with slashes. */
  onNames(names: readonly string[]): void;
  /** Called when all names are there, or as many as are listed at most. */
  onDone?(): void;
}

/** Names that are listed at most. */
const MOST_NAMES = 200_000;

const TIMEOUT_MS = 60_000;

/**
 * Lists the files of a folder: those that git tracks or would track, or all but the ignored ones where there is no
 * repository. Failures of git have the same effect as no repository.
 */
export function openFileIndex(options: FileIndexOptions): FileIndex {
  const stop = new AbortController();
  let isListing = false;
  let stamp: Stamp | undefined;
  const list = async () => {
    if (isListing || stop.signal.aborted) return;
    isListing = true;
    try {
      const before = stamp && (await stampOf(stamp.path));
      if (before === undefined || before.time !== stamp?.time) stamp = await listFiles(options, stop.signal);
    } finally {
      isListing = false;
    }
  };
  const start = () => void list().catch(() => undefined);
  start();
  return { refresh: start, close: () => stop.abort() };
}

/** A file or folder whose time tells whether files came or went. */
interface Stamp {
  readonly path: string;
  readonly time: number;
}

async function stampOf(path: string): Promise<Stamp | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && { path, time: found.mtimeMs };
}

async function listFiles(options: FileIndexOptions, signal: AbortSignal): Promise<Stamp | undefined> {
  const { cwd } = options;
  const names = createNames(options, signal);
  const git = await options.git();
  const index = await indexOf(cwd, git, signal);
  if (signal.aborted) return undefined;
  options.onBegin?.();
  // The time is read first: a change while files are listed must be seen by the next refresh.
  const before = await stampOf(index ?? cwd);
  const isListed = index !== undefined && (await listByGit(cwd, git, names, signal));
  if (!isListed && !signal.aborted) for await (const files of walkFiles(cwd, signal)) if (!names.add(files)) break;
  if (!signal.aborted) options.onDone?.();
  return before;
}

/** Names so far, each of them once. */
interface Names {
  /** Returns false when there is room for no other name. */
  add(names: readonly string[]): boolean;
}

function createNames({ onNames }: FileIndexOptions, signal: AbortSignal): Names {
  const seen = new Set<string>();
  return {
    add(names) {
      const fresh: string[] = [];
      for (const name of names) {
        if (seen.size >= MOST_NAMES) break;
        if (name === '' || seen.has(name)) continue;
        seen.add(name);
        fresh.push(name);
      }
      if (fresh.length > 0 && !signal.aborted) onNames(fresh);
      return seen.size < MOST_NAMES && !signal.aborted;
    },
  };
}

/** Returns the path of the index of the repository around a folder, or undefined. */
async function indexOf(cwd: string, git: GitCaller, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { exitCode, stdout } = await runGit(['rev-parse', '--git-path', 'index'], { ...git, cwd, signal });
    return exitCode === 0 ? resolve(cwd, stdout.replace(/\n$/, '')) : undefined;
  } catch {
    return undefined;
  }
}

/** Lists files as git knows them. Returns false if git failed before it named a file. */
async function listByGit(cwd: string, git: GitCaller, names: Names, signal: AbortSignal): Promise<boolean> {
  const full = new AbortController();
  let rest: Buffer = Buffer.alloc(0);
  let hasSome = false;
  const onStdout = (bytes: Buffer) => {
    const read = Buffer.concat([rest, bytes]);
    const end = read.lastIndexOf(0) + 1;
    rest = read.subarray(end);
    if (end === 0) return;
    hasSome = true;
    if (!names.add(read.toString('utf8', 0, end).split('\0'))) full.abort();
  };
  const args = ['ls-files', '-co', '--exclude-standard', '-z'];
  const either = AbortSignal.any([signal, full.signal]);
  try {
    const { exitCode } = await runGit(args, { ...git, cwd, signal: either, timeoutMs: TIMEOUT_MS, onStdout });
    return exitCode === 0 || hasSome;
  } catch {
    return hasSome;
  }
}
