import { closeSync, constants } from 'node:fs';
import { basename } from 'node:path';
import type { FoundFile } from './examine-file.ts';
import type { FileTransaction } from './file-transaction.ts';
import { writeAll } from './overwrite.ts';
import { isStuck, systemError } from './system-error.ts';
import { type OpenedFile, openInPlace } from './write-in-place.ts';

/** A text that is ready for its path. */
export type Staged =
  | { readonly type: 'written'; readonly entry: string }
  /** The file itself, since no temporary file can be written next to it. */
  | { readonly type: 'opened'; readonly file: OpenedFile };

export interface NewText {
  readonly bytes: Buffer;
  /** File whose mode and owner the new file gets. */
  readonly like: FoundFile | null;
  /** File that is replaced. */
  readonly old: FoundFile | null;
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a text to a temporary file in the deepest existing folder above its path. The folders below are made once all
 * texts have been written.
 */
export function stageText(path: string, { bytes, like, old }: NewText, transaction: FileTransaction): Staged {
  const { disk, folders } = transaction;
  const folder = folders.above(path);
  try {
    const entry = transaction.temporary(folder);
    const descriptor = disk.openSync(entry, CREATE, like ? like.stat.mode & 0o777 : 0o666);
    try {
      if (like && !keepMode(descriptor, like, transaction) && old) throw notOurs(path);
      writeAll(disk, descriptor, bytes);
    } finally {
      closeSync(descriptor);
    }
    return { type: 'written', entry };
  } catch (error) {
    if (old === null || !isStuck(error)) throw error;
    return { type: 'opened', file: openInPlace(path, folder.entry(basename(path)), old, transaction) };
  }
}

/**
 * Applies the mode and owner of another file, without the bits that run it as its owner. Reports whether the owner
 * could be applied.
 */
function keepMode(descriptor: number, { stat }: FoundFile, { disk }: FileTransaction): boolean {
  const own = disk.fstatSync(descriptor);
  let kept = true;
  try {
    if (own.uid !== stat.uid || own.gid !== stat.gid) disk.fchownSync(descriptor, stat.uid, stat.gid);
  } catch (error) {
    if (!isStuck(error)) throw error;
    kept = false;
  }
  // Right already, unless the umask or the new owner changed it.
  if ((own.mode & 0o7777) !== (stat.mode & 0o777) || own.uid !== stat.uid)
    disk.fchmodSync(descriptor, stat.mode & 0o777);
  return kept;
}

function notOurs(path: string): Error {
  return systemError('EPERM', 'a new file would belong to another user', path);
}
