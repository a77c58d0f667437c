import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { isInside } from '../../base/guarded-paths.ts';
import { followPath, withoutLinks } from '../sandbox/follow-path.ts';
import { disk } from './disk.ts';
import { overwrite } from './overwrite.ts';

/** A file that the user named for output. It stays open, so that no command can change where the output goes. */
export interface OutputFile {
  /** Replaces the content. Throws `UserError` if another file has the name by now; the content is then nowhere. */
  write(text: string): void;
  /** Closes the file. Deletes it if it was created here and never written to. To be called when no command runs. */
  close(): void;
}

/**
 * Opens a file for output, and creates it if it is missing. To be called before the first command. Throws `UserError`
 * where a link inside the writable folders leads out of them, since a command of an earlier run may have made it, and
 * the errors of the system.
 */
export function openOutputFile(path: string, writableFolders: readonly string[]): OutputFile {
  const { descriptor, end, isNew } = open(path, writableFolders.map(withoutLinks));
  const opened = fstatSync(descriptor);
  let isWritten = false;
  return {
    write(text) {
      isWritten = true;
      const bytes = Buffer.from(text);
      if (opened.isFile()) overwrite(disk, descriptor, bytes);
      else writeFileSync(descriptor, bytes);
      if (opened.isFile() && !isStill(end, opened)) throw replaced(path);
    },
    close() {
      if (isNew && !isWritten && isStill(end, opened)) unlinkSync(end);
      closeSync(descriptor);
    },
  };
}

function open(path: string, folders: readonly string[]): { descriptor: number; end: string; isNew: boolean } {
  const { lookups, end } = followPath(path);
  const isWritable = (entry: string) => folders.some((folder) => isInside(entry, folder));
  const isNew = !existsSync(end);
  // A path such as /dev/stdout, which may lead to a pipe without a name.
  if (!lookups.some(isWritable)) return { descriptor: openSync(path, WRITE, 0o666), end, isNew };
  if (!isWritable(end)) throw leadsOut(path, end);
  const descriptor = openSync(end, WRITE | constants.O_NOFOLLOW, 0o666);
  if (leadsElsewhere(descriptor, end)) {
    closeSync(descriptor);
    throw leadsOut(path, end);
  }
  return { descriptor, end, isNew };
}

const WRITE = constants.O_WRONLY | constants.O_CREAT;

/** Reports whether a folder on the way was replaced by a link before the file was opened. */
function leadsElsewhere(descriptor: number, end: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`) !== end;
  } catch {
    return false;
  }
}

function isStill(end: string, { dev, ino }: Stats): boolean {
  const stat = lstatSync(end, { throwIfNoEntry: false });
  return stat?.dev === dev && stat.ino === ino;
}

function leadsOut(path: string, end: string): UserError {
  return new UserError(
    'storage',
    `${path} leads to ${end} through a link in a folder that commands can write to, so nothing is written there. Name the file itself, or delete the link.`,
  );
}

function replaced(path: string): UserError {
  return new UserError(
    'storage',
    `${path} was moved, deleted or replaced during the run, so the final answer is not in it. The output of this run has the answer.`,
  );
}
