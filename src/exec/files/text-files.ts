import { isUtf8 } from 'node:buffer';
import { closeSync, constants, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { disk } from './disk.ts';
import { locate } from './locate.ts';
import { overwrite } from './overwrite.ts';
import { OPEN_FLAGS, readOpened, SIZE_LIMIT } from './read-opened.ts';
import { codeOf, reasonOf } from './system-error.ts';

/** Text files of a folder, each changed at once. Failures are `UserError`s in the words of Codex's command. */
export interface TextFiles {
  /** Returns the path as failures name it. */
  resolve(path: string): string;
  read(path: string): string;
  /**
   * Writes a file, and makes the folders above it. Follows links. `old` is its present text, where the caller knows it.
   */
  write(path: string, text: string, old?: string): void;
  /** Writes the text to `to` and removes `from`, unless both are the same file. */
  move(from: string, to: string, text: string): void;
  remove(path: string): void;
}

export function createTextFiles(cwd: string): TextFiles {
  const absolute = (path: string) => resolve(cwd, path);
  return {
    resolve: absolute,
    read: (path) => read(absolute(path)),
    write: (path, text, old) => write(absolute(path), text, { mode: 0o666, old }),
    move: (from, to, text) => move(absolute(from), absolute(to), text),
    remove(path) {
      const file = absolute(path);
      const isFolder = attempt(`Failed to delete file ${file}`, () => statSync(file).isDirectory());
      if (isFolder) throw new UserError('storage', `Failed to delete file ${file}`);
      attempt(`Failed to delete file ${file}`, () => disk.unlinkSync(file));
    },
  };
}

function read(path: string): string {
  const fault = (reason: string) => new UserError('storage', `Failed to read file to update ${path}: ${reason}`);
  let bytes: Buffer | undefined;
  try {
    bytes = readRegular(path);
  } catch (error) {
    throw fault(systemReason(error));
  }
  if (bytes === undefined) throw fault(`path \`${path}\` is not a file`);
  if (bytes.length > SIZE_LIMIT) throw fault(`it is larger than ${SIZE_LIMIT / 1024 / 1024} MB`);
  if (!isUtf8(bytes)) throw fault('it is not UTF-8 text');
  return bytes.toString('utf8');
}

/** Returns undefined for anything but a regular file. */
function readRegular(path: string): Buffer | undefined {
  const descriptor = disk.openSync(path, constants.O_RDONLY | OPEN_FLAGS);
  try {
    const stat = disk.fstatSync(descriptor);
    if (!stat.isFile()) return undefined;
    return readOpened(disk, descriptor, Math.min(stat.size, SIZE_LIMIT));
  } finally {
    closeSync(descriptor);
  }
}

const WRITE_FLAGS = constants.O_RDWR | constants.O_CREAT | OPEN_FLAGS;

interface WriteOptions {
  /** Mode of a new file, before the umask. */
  readonly mode: number;
  readonly old?: string | undefined;
}

function write(path: string, text: string, { mode, old }: WriteOptions): void {
  attempt(`Failed to write file ${path}`, () => {
    const descriptor = openToWrite(path, mode);
    try {
      writeOver(descriptor, Buffer.from(text), old);
    } finally {
      closeSync(descriptor);
    }
  });
}

function openToWrite(path: string, mode: number): number {
  try {
    return disk.openSync(path, WRITE_FLAGS, mode);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    disk.mkdirSync(dirname(path), { recursive: true });
    return disk.openSync(path, WRITE_FLAGS, mode);
  }
}

/** Replaces the contents of an open file. Restores the old text where there is no room for the new one. */
function writeOver(descriptor: number, text: Buffer, known: string | undefined): void {
  const stat = disk.fstatSync(descriptor);
  if (!stat.isFile()) throw new Error('it is not a regular file');
  const old = known ?? readOpened(disk, descriptor, stat.size);
  try {
    overwrite(disk, descriptor, text);
  } catch (error) {
    overwrite(disk, descriptor, Buffer.from(old));
    throw error;
  }
}

function move(from: string, to: string, text: string): void {
  const { mode } = attempt(`Failed to write file ${to}`, () => statSync(from));
  write(to, text, { mode: mode & 0o777 });
  if (entryOf(from) === entryOf(to)) return;
  attempt(`Failed to remove original ${from}`, () => {
    const [source, target] = [from, to].map((path) => disk.lstatSync(path));
    const isOneFile = source?.ino === target?.ino && source?.dev === target?.dev && source?.nlink === 1;
    // Two spellings of one name, on a disk that ignores case.
    if (isOneFile) disk.renameSync(from, to);
    else disk.unlinkSync(from);
  });
}

/** Returns the path of an entry itself, whatever the entry leads to. */
function entryOf(path: string): string {
  return join(locate(dirname(path)), basename(path));
}

function attempt<T>(fault: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new UserError('storage', fault, { cause: error });
  }
}

/** Texts of the C library, which Codex shows too. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EIO: 'I/O error',
  ELOOP: 'Symbolic link loop',
  ENAMETOOLONG: 'Filename too long',
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
  EPERM: 'Operation not permitted',
};

function systemReason(error: unknown): string {
  const { errno } = error as NodeJS.ErrnoException;
  const reason = REASONS[codeOf(error) ?? ''] ?? reasonOf(error);
  return errno === undefined ? reason : `${reason} (os error ${-errno})`;
}
