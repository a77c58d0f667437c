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

/** Adds lines to a file. */
export interface LineAppender {
  /**
   * Adds lines, all of them or none. `encode` gets the ordinal of the first and returns the text of all. Throws what the file
   * system throws, and `UserError` when another program changed the file.
   */
  append(count: number, encode: (ordinal: number | undefined) => string): void;
  /** Returns whether the file ends where the last line that was added or read ends. */
  isUntouched(): boolean;
  /** Notes the end of the file as it was read. It must be the same when the next line is added. */
  expect(end: FileEnd): void;
  /** Closes the file until the next line. */
  rest(): void;
}

/** Opens a file to add lines to. It appears with the first of them. */
export function createLineAppender(path: string): LineAppender {
  let fd: number | undefined;
  let end: FileEnd | undefined;

  function open(): { fd: number; end: FileEnd } {
    const opened = end === undefined ? openOrCreate(path) : openAgain(path);
    try {
      const { size } = fstatSync(opened);
      const found = end ?? findEnd(opened, size);
      if (size !== found.size) throw new UserError('in_use', changedText(path));
      // Half of a line or of a group is left where a writer died in the middle of it; the next line must not follow on that.
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
        end = takeBack(file.fd, file.end);
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

/** Makes folders one by one: with all at once Node reports a missing folder where the disk cannot be written to. */
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

/** Cuts off the lines that were written in part. Where that fails too, the next append looks for the end of the whole ones. */
function takeBack(fd: number, { end, ordinal }: FileEnd): FileEnd | undefined {
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
