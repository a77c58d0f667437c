import { setImmediate as nextRound } from 'node:timers/promises';
import { UserError } from '../../base/errors.ts';
import { unknownCursor } from '../../base/read-back.ts';
import type { LineBlock, PlacedLine, StoredLine } from '../../base/thread-store.ts';
import { type FilePart, linesBack } from '../lines/lines-back.ts';
import { lineAt, linesIn, readBlocks } from '../lines/read-lines.ts';
import { openThreadParts, type ThreadParts, unreadable } from '../lines/thread-parts.ts';

/**
 * Reads the lines of a thread without a lock: its first line, the lines of other files that it points to, then the rest
 * of its own. Throws `UserError` if a file is missing or cannot be read.
 */
export function readThread(home: string, path: string): AsyncGenerator<StoredLine, void, undefined> {
  return readParts(home, path, linesIn);
}

/** Does the same in blocks of many lines. */
export function readThreadBlocks(home: string, path: string): AsyncGenerator<LineBlock, void, undefined> {
  return readParts(home, path, readBlocks);
}

async function* readParts(
  home: string,
  path: string,
  read: (part: FilePart) => Iterable<LineBlock | undefined> | AsyncIterable<LineBlock>,
): AsyncGenerator<LineBlock, void, undefined> {
  let thread: ThreadParts | undefined;
  try {
    thread = await openThreadParts(path, home);
    if (thread.first) yield thread.first;
    for (const part of thread.parts.toReversed()) {
      if (part instanceof UserError) throw part;
      const blocks = read(part);
      if (Symbol.asyncIterator in blocks) {
        yield* blocks;
        continue;
      }
      for (const block of blocks) {
        if (block) yield block;
        else await nextRound();
      }
    }
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unreadable(path, error) : error;
  } finally {
    thread?.close();
  }
}

/**
 * Reads the lines of a thread from the last to the first. A cursor names a part of the thread, counted from the newest,
 * and a position in its file. Throws `UserError` if a file is missing or cannot be read.
 */
export async function* readThreadBack(
  home: string,
  path: string,
  before?: string,
): AsyncGenerator<PlacedLine, void, undefined> {
  if (before === FIRST_LINE) return;
  const end = before === undefined ? { part: 0, position: Number.POSITIVE_INFINITY } : parseCursor(before);
  let thread: ThreadParts | undefined;
  try {
    thread = await openThreadParts(path, home);
    let count = 0;
    for (const [index, part] of thread.parts.entries()) {
      if (index < end.part) continue;
      if (part instanceof UserError) throw part;
      const to = index === end.part ? Math.min(part.to, end.position) : part.to;
      for (const position of linesBack({ ...part, to })) {
        yield Object.assign(lineAt(position), { cursor: `${index}:${position.start}` });
        // Lets other work run while a long file is read.
        if (++count % LINES_AT_ONCE === 0) await nextRound();
      }
    }
    if (thread.first) yield { ...copied(thread.first), cursor: FIRST_LINE };
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unreadable(path, error) : error;
  } finally {
    thread?.close();
  }
}

const FIRST_LINE = 'first';
const LINES_AT_ONCE = 200;

function copied({ label, number, bytes }: StoredLine): StoredLine {
  return { label, number, bytes };
}

function parseCursor(cursor: string): { readonly part: number; readonly position: number } {
  const [, part, position] = /^(\d+):(\d+)$/.exec(cursor) ?? [];
  if (part === undefined) throw unknownCursor(cursor);
  return { part: Number(part), position: Number(position) };
}
