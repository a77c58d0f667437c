import { setImmediate as nextRound } from 'node:timers/promises';
import { UserError } from '../../base/errors.ts';
import type { LineBlock, StoredLine } from '../../base/thread-store.ts';
import type { FilePart } from '../lines/lines-back.ts';
import { linesIn, readBlocks } from '../lines/read-lines.ts';
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
