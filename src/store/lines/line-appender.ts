import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
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
      const { size } = fstatSync(opened);
      const found = end ?? findEnd(opened, size);
      if (size !== found.size) throw new UserError('in_use', changedText(path));
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
      try {
        writeWhole(file.fd, bytes);
      } catch (error) {
        end = undoWrite(file.fd, file.end);
        rest();
        throw error;
      }
      const size = file.end.end + bytes.length;
      end = { end: size, size, ordinal: file.end.ordinal === undefined ? undefined : file.end.ordinal + count };
    },
    isUntouched() {
      if (end === undefined) return true;
      const stat = fd === undefined ? statSync(path, { throwIfNoEntry: false }) : fstatSync(fd);
      return stat?.size === end.size;
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
    throw new UserError('not_found', `${path} is gone: the thread was archived or deleted while it was open here.`);
  }
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/**
 * Removes lines that were written in part. If that fails too, the next append searches for the end of the complete
 * lines.
 */
function undoWrite(fd: number, { end, ordinal }: FileEnd): FileEnd | undefined {
  try {
    ftruncateSync(fd, end);
    return { end, size: end, ordinal };
  } catch {
    return undefined;
  }
}

function changedText(path: string): string {
  return `${path} was changed by another program while the thread was open here. Resume the thread anew: what the other one wrote is then part of it.`;
}
