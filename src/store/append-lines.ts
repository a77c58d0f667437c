import { closeSync, constants, existsSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from '../base/errors.ts';
import { type FileEnd, findEnd } from './file-end.ts';

/** Adds lines to a file, each whole or not at all. */
export interface LineAppender {
  /** Throws what the file system does, and `UserError` when somebody else changed the file. Nothing is then added. */
  append(encode: (ordinal: number | undefined) => string): void;
  /** What is known of the file from reading it. It must not have changed when the next line is added. */
  expect(end: FileEnd): void;
  /** Closes the file until the next line. */
  rest(): void;
}

/** The file appears with its first line. */
export function createLineAppender(path: string): LineAppender {
  let fd: number | undefined;
  let end: FileEnd | undefined;

  function open(): { fd: number; end: FileEnd } {
    const opened = end === undefined ? openOrCreate(path) : openAgain(path);
    try {
      const { size } = fstatSync(opened);
      const found = end ?? findEnd(opened, size);
      if (size !== found.size) throw new UserError(changedText(path));
      // Half of a line is left where a writer died in the middle of it; the next line must not grow onto that.
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
    append(encode) {
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
      end = { end: size, size, ordinal: file.end.ordinal === undefined ? undefined : file.end.ordinal + 1 };
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

/** One by one: all at once, Node would say of a disk that cannot be written to that a folder is missing. */
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
    throw new UserError(`${path} is gone: somebody archived or deleted the thread while it was open here.`);
  }
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
}

/** Cuts off what was written of a line. Where even that fails, the next one looks for the end of the last whole line. */
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
