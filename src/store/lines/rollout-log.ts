import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import type { Log } from '../../base/log.ts';
import type { TakenThread } from '../../base/thread-store.ts';
import { encodeGroup, type LineGate, lineDecoder } from '../../log/rollout-line.ts';
import { createThreadHold } from '../lock/thread-hold.ts';
import { findEnd } from './file-end.ts';
import { createLineAppender } from './line-appender.ts';
import { createOpenFiles, type OpenFiles } from './open-files.ts';
import { resumeLines } from './resume-lines.ts';
import { openThreadParts, type ThreadParts, unreadable } from './thread-parts.ts';
import { plainPath, unpackRollout } from './unpack-rollout.ts';

export interface RolloutLogOptions {
  readonly home: string;
  /** Id of the thread. */
  readonly id: string;
  /** Path of its rollout. */
  readonly path: string;
  now(): number;
  /** The open files of the store. */
  readonly openFiles?: OpenFiles;
  /** Decides which lines can be used. */
  readonly gate: LineGate;
}

/**
 * Opens the rollout file of a thread for writing. Lines are written synchronously: one small write costs microseconds,
 * and appended lines survive the death of this process.
 */
export function openRolloutLog(options: RolloutLogOptions): Pick<TakenThread, 'log' | 'notes'> & RolloutTaking {
  const { home, path, now, gate, openFiles = createOpenFiles() } = options;
  const plain = plainPath(path);
  const file = createLineAppender(plain);
  const notes: string[] = [];
  const onNote = (note: string) => void notes.push(note);
  const hold = createThreadHold({ home, id: options.id, path: plain, now, onNote, isUntouched: file.isUntouched });
  const restFile = () => {
    file.rest();
    openFiles.closed(file);
  };
  const log: Log = {
    label: plain,
    path: plain,
    durable: true,
    pipelined: false,
    lost: hold.lost,
    async append(lines) {
      if (lines.length === 0) return;
      hold.takeSoon();
      hold.check();
      try {
        file.append(lines.length, (ordinal) => encodeGroup(lines, ordinal, now()));
        openFiles.written(file);
      } catch (error) {
        // If another program changed the file, another owner may have taken the thread.
        hold.checkNow();
        throw error instanceof UserError ? error : notKept(plain, error);
      }
    },
    rest() {
      restFile();
      hold.rest();
    },
    async close() {
      restFile();
      hold.release();
    },
  };

  async function* lines() {
    let parts: ThreadParts | undefined;
    try {
      parts = await openThreadParts(await unpackRollout(path), home);
      const [own] = parts.parts;
      if (own && 'fd' in own) file.expect(findEnd(own.fd, parts.size));
      yield* resumeLines(parts, { decode: lineDecoder(gate), onNote });
    } catch (error) {
      throw error instanceof Error && 'syscall' in error ? unreadable(plain, error) : error;
    } finally {
      parts?.close();
    }
  }

  return { log, notes, take: hold.take, lines };
}

interface RolloutTaking {
  /** Takes the thread for this process. Throws `UserError` if another process has it. */
  take(): void;
  /** Reads the lines that its state folds from. */
  lines(): TakenThread['lines'];
}

function notKept(path: string, error: unknown): UserError {
  const way = WAYS_OUT.find(([codes]) => codes.includes((error as NodeJS.ErrnoException).code ?? ''))?.[1] ?? '';
  const text = `The thread cannot be kept in ${path}: ${fileFault(error)}.${way}`;
  return new UserError('storage', text, { cause: error, remedy: { type: 'keep_no_record' } });
}

const WAYS_OUT: readonly (readonly [codes: readonly string[], way: string])[] = [
  [['ENOSPC', 'EDQUOT', 'EFBIG'], ' Make room, then go on with the thread: all that was kept before is whole.'],
  [['EROFS', 'EACCES', 'EPERM'], ' OXBOW_HOME may name another folder to keep threads in.'],
  [['ENOTDIR', 'EEXIST'], ' A file stands where a folder is needed: move it away.'],
  [['EMFILE', 'ENFILE'], ' Too many files are open: close some, or raise the limit (ulimit -n).'],
];
