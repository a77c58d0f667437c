import { closeSync, fstatSync, openSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import type { StoredLine } from '../../base/thread-store.ts';
import { checkFormat } from '../../log/check-format.ts';
import { type HistoryBase, historyBase, parseMeta, type RolloutMeta } from '../../log/rollout-meta.ts';
import { wholeEnd } from './file-end.ts';
import { type FilePart, linesBack } from './lines-back.ts';
import { linesIn } from './read-lines.ts';
import { type RolloutFile, rolloutFiles } from './rollout-files.ts';
import { unpackRollout } from './unpack-rollout.ts';

/** Open files with the lines of a thread: its own file, and the files that a fork points to. */
export interface ThreadParts {
  /** First line of its own file, which is not in `parts`. Undefined if that line cannot be used. */
  readonly first: StoredLine | undefined;
  /** Parts, the newest first. An error stands for missing earlier parts. */
  readonly parts: readonly (FilePart | UserError)[];
  /** Size of its own file. The file may end with a part of a line or group, which is not in `parts`. */
  readonly size: number;
  close(): void;
}

const MOST_FORKS = 100;

/**
 * Opens the files of a thread. Files that a fork points to are searched below the home. Throws `UserError` if the file
 * cannot be read, or if a newer program wrote it in a format that this one must not read.
 */
export async function openThreadParts(path: string, home: string): Promise<ThreadParts> {
  const files: number[] = [];
  const close = () => {
    for (const fd of files.splice(0)) closeSync(fd);
  };
  try {
    const fd = openToRead(path);
    files.push(fd);
    const size = sizeOf(fd);
    const whole = { path, fd, from: 0, to: wholeEnd(fd, size) };
    const { line, meta, end } = firstLine(whole);
    if (meta) checkFormat(path, meta);
    const own = { ...whole, from: end };
    return { first: line, parts: [own, ...(meta ? await forkedFrom(meta, home, files) : [])], size, close };
  } catch (error) {
    close();
    throw error;
  }
}

function openToRead(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Returns the error for a rollout that the file system cannot read. */
export function unreadable(path: string, error: unknown): UserError {
  return new UserError('storage', `The rollout ${path} cannot be read: ${fileFault(error)}. Nothing was changed.`);
}

function sizeOf(fd: number): number {
  return fstatSync(fd).size;
}

/** The first line of a file. Without `meta`, it is an ordinary line. */
interface FirstLine {
  readonly line?: StoredLine;
  readonly meta?: RolloutMeta;
  readonly end: number;
}

function firstLine(part: FilePart): FirstLine {
  for (const line of linesIn(part)) {
    const meta = line && parseMeta(line.bytes);
    if (meta) return { line, meta, end: line.bytes.length + 1 };
    if (line) break;
  }
  return { end: 0 };
}

/** Opens the parts of other files that a thread's history begins with. Returns the newest first. */
async function forkedFrom(own: RolloutMeta, home: string, files: number[]): Promise<(FilePart | UserError)[]> {
  const parts: (FilePart | UserError)[] = [];
  try {
    for (let pointer = pointerOf(own); pointer; ) {
      if (parts.length === MOST_FORKS) throw new UserError('unsupported', tooManyText(pointer));
      const path = await findParent(home, pointer);
      const fd = openToRead(path);
      files.push(fd);
      const { meta, end } = firstLine({ path, fd, from: 0, to: sizeOf(fd) });
      if (meta) checkFormat(path, meta);
      parts.push({ path, fd, from: end, to: Math.max(end, endOf(fd, pointer)) });
      const next = meta && pointerOf(meta);
      // The thread may have been forked at a turn that its parent itself has from another thread.
      pointer = next && { ...next, limit: Math.min(next.limit, pointer.limit) };
    }
  } catch (error) {
    // Only readers that need these lines see the error.
    if (!(error instanceof UserError)) throw error;
    parts.push(error);
  }
  return parts;
}

interface Pointer extends HistoryBase {
  /** Id of the thread that points. */
  readonly of: string;
}

function pointerOf(meta: RolloutMeta): Pointer | undefined {
  const base = historyBase(meta);
  return base && { of: meta.id, ...base };
}

async function findParent(home: string, pointer: Pointer): Promise<string> {
  const found = await findFile(home, pointer.id);
  if (!found) throw new UserError('not_found', missingText(pointer, home));
  return unpackRollout(found.path);
}

async function findFile(home: string, id: string): Promise<RolloutFile | undefined> {
  for (const where of ['active', 'archived'] as const) {
    for await (const file of rolloutFiles(home, where)) if (file.id === id) return file;
  }
  return undefined;
}

/**
 * Returns the end of the lines below the limit. That is the offset if the line before it has the right ordinal.
 * Otherwise the file is searched from its end.
 */
function endOf(fd: number, { limit, offset }: Pointer): number {
  const size = sizeOf(fd);
  if (offset !== undefined && offset <= size && lastOrdinal(fd, offset) === limit - 1) return offset;
  for (const { head, end } of linesBack({ fd, from: 0, to: size })) {
    if (head?.ordinal !== undefined && head.ordinal < limit) return end;
  }
  return 0;
}

function lastOrdinal(fd: number, to: number): number | undefined {
  for (const { head, end } of linesBack({ fd, from: 0, to })) return end === to ? head?.ordinal : undefined;
  return undefined;
}

function missingText({ of, id }: Pointer, home: string): string {
  return `The thread ${of} goes on from the thread ${id}, whose rollout is not there in ${home}. Put that file back: without it the history has no beginning.`;
}

function tooManyText({ of }: Pointer): string {
  return `The thread ${of} is a fork of a fork of a fork, more than ${MOST_FORKS} times over, or they go in a circle.`;
}
