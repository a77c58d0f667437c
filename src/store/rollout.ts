import { join } from 'node:path';
import { messageOf, UserError } from '../base/errors.ts';
import { formatDay, formatTimeOfDay, type LocalTime } from '../base/local-time.ts';
import type { Log, LogLine } from '../base/log.ts';
import type { World } from '../base/world.ts';
import { createLineAppender } from './append-lines.ts';
import { findEnd } from './file-end.ts';
import { createHold } from './hold-thread.ts';
import { allLines, resumeLines } from './resume-lines.ts';
import { encodeLine, type LineGate, lineDecoder } from './rollout-line.ts';
import { openParts, type ThreadParts, unreadable } from './thread-parts.ts';
import { plainPath, unpackedRollout } from './unpack-rollout.ts';

export interface RolloutOptions {
  /** The thread that it is, in which home: whoever writes takes it for this process. Without, nobody is kept out. */
  readonly thread?: { readonly home: string; readonly id: string };
  /** What lines must pass that are read. */
  readonly gate?: LineGate;
}

/**
 * A thread's log as a rollout file in Codex's place and shape. The file appears with its first line. Lines are written
 * synchronously: one small write costs microseconds, and what was appended survives the death of this process.
 */
export function openRollout(
  path: string,
  world: World,
  onFault: (fault: string) => void,
  { thread, gate = (line) => line }: RolloutOptions = {},
): Log {
  const plain = plainPath(path);
  const file = createLineAppender(plain);
  const hold = thread && createHold({ ...thread, path: plain, onNote: onFault }, world.now);
  const reading = { decode: lineDecoder(gate), onFault, ownPath: plain };

  async function* linesBy(choose: (parts: ThreadParts) => AsyncIterable<LogLine>): AsyncGenerator<LogLine> {
    let parts: ThreadParts | undefined;
    try {
      parts = await openParts(await unpackedRollout(path), { home: thread?.home, decode: reading.decode });
      yield* choose(parts);
    } catch (error) {
      throw error instanceof Error && 'syscall' in error ? unreadable(plain, error) : error;
    } finally {
      parts?.close();
    }
  }

  function tail(parts: ThreadParts): AsyncIterable<LogLine> {
    const [own] = parts.parts;
    if (own && 'fd' in own) file.expect(findEnd(own.fd, own.to));
    return resumeLines(parts, reading);
  }

  function close(): void {
    file.rest();
    hold?.release();
  }

  return {
    path: plain,
    async append(line) {
      hold?.soon();
      try {
        file.append((ordinal) => encodeLine(line, ordinal, world.now()));
      } catch (error) {
        throw error instanceof UserError ? error : new UserError(notKept(plain, error));
      }
    },
    read: () => linesBy((parts) => allLines(parts, reading)),
    async *resume() {
      hold?.now();
      try {
        yield* linesBy(tail);
      } catch (error) {
        close();
        throw error;
      }
    },
    rest: file.rest,
    async close() {
      close();
    },
  };
}

/** Where the rollout of a new thread lies below the home: by local date and time, then the thread's id. */
export function rolloutPath(home: string, threadId: string, time: LocalTime): string {
  const day = formatDay(time);
  return join(home, 'sessions', ...day.split('-'), `rollout-${day}T${formatTimeOfDay(time)}-${threadId}.jsonl`);
}

function notKept(path: string, error: unknown): string {
  const way = WAYS_OUT.find(([codes]) => codes.includes((error as NodeJS.ErrnoException).code ?? ''))?.[1] ?? '';
  return `The thread cannot be kept in ${path}: ${messageOf(error)}. ${way}--ephemeral keeps no record.`;
}

const WAYS_OUT: readonly (readonly [codes: readonly string[], way: string])[] = [
  [['ENOSPC', 'EDQUOT', 'EFBIG'], 'Make room, then go on with the thread: all that was kept before is whole. '],
  [['EROFS', 'EACCES', 'EPERM'], 'OXBOW_HOME may name another folder to keep threads in. '],
  [['ENOTDIR', 'EEXIST'], 'A file stands where a folder is needed: move it away. '],
  [['EMFILE', 'ENFILE'], 'Too many files are open: close some, or raise the limit (ulimit -n). '],
];
