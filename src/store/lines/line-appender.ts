import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { type FileEnd, findEnd } from './file-end.ts';

/** An appender adds lines to a file. */
export interface LineAppender {
  /**
   * Appends all of the lines or none. `encode` gets the ordinal of the first line and returns the text of all lines.
   * Throws errors of the file system, and `UserError` if another program changed the file.
   */
  append(count: number, encode: (ordinal: number | undefined) => string): void;
  /** Reports whether the file still ends after the last line that was appended or read. */
  isUntouched(): boolean;
  /** Remembers the end of the file as it was read. The next append fails if the file has another end by then. */
  expect(end: FileEnd): void;
  /** Closes the file until the next append. */
  rest(): void;
}

/** Returns an appender for a file. The file is created with its first line. */
export function createLineAppender(path: string): LineAppender {
  let fd: number | undefined;
  let end: FileEnd | undefined;

  function open(): { fd: number; end: FileEnd } {
    const opened = end === undefined ? openOrCreate(path) : openAgain(path);
    try {
      const stat = fstatSync(opened);
      const found = end ?? findEnd(opened, stat.size);
      if (!endsAt(found, stat)) throw changed(path);
      // A writer that died left a part of a line or group. The next line must not be appended to that.
      if (found.size > found.end) ftruncateSync(opened, found.end);
      fd = opened;
      end = { ...found, size: found.end };
      return { fd, end };
    } catch (error) {
      closeSync(opened);
      throw error;
    }
  }

  function rest(): void {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  }

  return {
    append(count, encode) {
      const file = fd === undefined || end === undefined ? open() : { fd, end };
      const bytes = Buffer.from(encode(file.end.ordinal), 'utf8');
      // By its path: another program may have moved or replaced the file.
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) throw gone(path);
      if (!endsAt(file.end, stat)) throw changed(path);
      let size = file.end.size;
      try {
        while (size < file.end.size + bytes.length) size += writeSync(file.fd, bytes, size - file.end.size);
      } catch (error) {
        const left = undoWrite(file.fd, { ...file.end, size });
        // The next append begins a file again that has no complete line.
        end = left.end === 0 ? undefined : left;
        rest();
        throw error;
      }
      const { ordinal } = file.end;
      end = { ...file.end, end: size, size, ordinal: ordinal === undefined ? undefined : ordinal + count };
    },
    isUntouched() {
      if (end === undefined) return true;
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat !== undefined && endsAt(end, stat);
    },
    expect(known) {
      rest();
      end = known;
    },
    rest,
  };
}

function openOrCreate(path: string): number {
  try {
    return openSync(path, 'a+', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(dirname(path));
    return openSync(path, 'a+', 0o600);
  }
}

/** Creates folders one by one. Created all at once, Node reports a missing folder if the disk is read-only. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function openAgain(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_APPEND);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw gone(path);
  }
}

/** Reports whether a file is the one that was written or read, and has the same size. */
function endsAt({ size, ino }: FileEnd, stat: Stats): boolean {
  return stat.size === size && stat.ino === ino;
}

/**
 * Removes lines that were written in part, unless another program has written since. If that fails, the next append
 * removes them.
 */
function undoWrite(fd: number, written: FileEnd): FileEnd {
  try {
    if (!endsAt(written, fstatSync(fd))) return written;
    ftruncateSync(fd, written.end);
    return { ...written, size: written.end };
  } catch {
    return written;
  }
}

function gone(path: string): UserError {
  return new UserError('not_found', `${path} is gone: the thread was archived or deleted while it was open here.`);
}

function changed(path: string): UserError {
  return new UserError(
    'in_use',
    `${path} was changed by another program while the thread was open here. Resume the thread anew: what the other one wrote is then part of it.`,
  );
}
