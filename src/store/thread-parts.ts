import { closeSync, fstatSync, openSync } from 'node:fs';
import { messageOf, UserError } from '../base/errors.ts';
import type { LogLine } from '../base/log.ts';
import { checkFormat } from './check-format.ts';
import { type Lines, linesBack } from './lines-back.ts';
import { readLines } from './read-lines.ts';
import { type HistoryBase, historyBase, metaOf } from './read-meta.ts';
import { type RolloutFile, rolloutFiles } from './rollout-files.ts';
import type { LineDecoder } from './rollout-line.ts';
import { unpackedRollout } from './unpack-rollout.ts';

/** Some lines of a file of a thread's. */
export interface Part extends Lines {
  readonly path: string;
}

/** The files whose lines are a thread's: its own and, where it was forked by pointing, those that it points to. */
export interface ThreadParts {
  /** The first line of its own file; undefined when that cannot be used. It is in no part. */
  readonly meta: LogLine | undefined;
  /** The newest first. An error stands for what is missing before. */
  readonly parts: readonly (Part | UserError)[];
  close(): void;
}

export interface PartsOptions {
  /** Where forks find what they point to. */
  readonly home: string | undefined;
  readonly decode: LineDecoder;
}

const MOST_FORKS = 100;

/** Opens what a thread's lines stand in. Throws `UserError` when the file cannot be read or is not for us to read. */
export async function openParts(path: string, options: PartsOptions): Promise<ThreadParts> {
  const files: number[] = [];
  const close = () => {
    for (const fd of files.splice(0)) closeSync(fd);
  };
  try {
    const fd = openToRead(path);
    files.push(fd);
    const { meta, end } = await firstLine(fd, options.decode);
    if (meta?.type !== 'session_meta')
      return { meta: undefined, parts: [{ path, fd, from: 0, to: sizeOf(fd) }], close };
    checkFormat(path, meta.payload);
    const parts = [{ path, fd, from: end, to: sizeOf(fd) }, ...(await forkedFrom(meta, options, files))];
    return { meta, parts, close };
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

/** What to tell of a rollout that the file system does not give. */
export function unreadable(path: string, error: unknown): UserError {
  return new UserError(`The rollout ${path} cannot be read: ${messageOf(error)}. Nothing was changed.`);
}

function sizeOf(fd: number): number {
  return fstatSync(fd).size;
}

async function firstLine(fd: number, decode: LineDecoder): Promise<{ meta: LogLine | undefined; end: number }> {
  for await (const bytes of readLines(fd, 0, sizeOf(fd))) {
    return { meta: decode(bytes, () => {}), end: bytes.length + 1 };
  }
  return { meta: undefined, end: 0 };
}

/** The parts of other files that a thread's history begins with, the newest first. */
async function forkedFrom(line: LogLine, options: PartsOptions, files: number[]): Promise<(Part | UserError)[]> {
  const parts: (Part | UserError)[] = [];
  try {
    for (let pointer = pointerOf(line); pointer; ) {
      if (parts.length === MOST_FORKS) throw new UserError(tooManyText(pointer));
      const path = await findParent(options.home, pointer);
      const fd = openToRead(path);
      files.push(fd);
      const { meta, end } = await firstLine(fd, options.decode);
      if (meta?.type === 'session_meta') checkFormat(path, meta.payload);
      const from = meta ? end : 0;
      parts.push({ path, fd, from, to: Math.max(from, endOf(fd, pointer)) });
      const next = meta && pointerOf(meta);
      // It may have been forked at a turn that its parent has from another thread.
      pointer = next && { ...next, limit: Math.min(next.limit, pointer.limit) };
    }
  } catch (error) {
    // Whether it is missed is seen by whoever gets that far.
    if (!(error instanceof UserError)) throw error;
    parts.push(error);
  }
  return parts;
}

interface Pointer extends HistoryBase {
  /** The thread that points there. */
  readonly of: string;
}

function pointerOf(line: LogLine): Pointer | undefined {
  const meta = metaOf(line);
  const base = meta && historyBase(meta);
  return base && { of: meta.id, ...base };
}

async function findParent(home: string | undefined, pointer: Pointer): Promise<string> {
  const found = home === undefined ? undefined : await findFile(home, pointer.id);
  if (!found) throw new UserError(missingText(pointer, home));
  return unpackedRollout(found.path);
}

async function findFile(home: string, id: string): Promise<RolloutFile | undefined> {
  for (const where of ['active', 'archived'] as const) {
    for await (const file of rolloutFiles(home, where)) if (file.id === id) return file;
  }
  return undefined;
}

/** Where the lines below the limit end: there, if the writer was right; otherwise it is looked for from the end on. */
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

function missingText({ of, id }: Pointer, home: string | undefined): string {
  const where = home === undefined ? '' : ` in ${home}`;
  return `The thread ${of} goes on from the thread ${id}, whose rollout is not there${where}. Put that file back: without it the history has no beginning.`;
}

function tooManyText({ of }: Pointer): string {
  return `The thread ${of} is a fork of a fork of a fork, more than ${MOST_FORKS} times over, or they go in a circle.`;
}
