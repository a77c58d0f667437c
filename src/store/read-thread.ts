import type { StoredLine } from '../base/thread-store.ts';
import { allLines } from './resume-lines.ts';
import { openParts, type ThreadParts, unreadable } from './thread-parts.ts';

/**
 * Reads the lines of a thread: its own first line, those of other files that it points to, then its own. Takes no lock.
 * Throws `UserError` where a file is missing or cannot be read.
 */
export async function* readThread(home: string, path: string): AsyncGenerator<StoredLine, void, undefined> {
  let thread: ThreadParts | undefined;
  try {
    thread = await openParts(path, home);
    yield* allLines(thread);
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? unreadable(path, error) : error;
  } finally {
    thread?.close();
  }
}
