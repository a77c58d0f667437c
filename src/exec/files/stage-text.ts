import { closeSync, constants } from 'node:fs';
import { basename } from 'node:path';
import type { Seen } from './examine-file.ts';
import { writeAll } from './overwrite.ts';
import { isStuck, systemError } from './system-error.ts';
import type { Work } from './work.ts';
import { type OpenedFile, openInPlace } from './write-in-place.ts';

/** A text that waits for its place. */
export type Staged =
  | { readonly type: 'written'; readonly entry: string }
  /** Nothing can be written beside it. */
  | { readonly type: 'opened'; readonly file: OpenedFile };

export interface NewText {
  readonly bytes: Buffer;
  /** The file whose mode and owner it gets. */
  readonly like: Seen | null;
  /** What it takes the place of. */
  readonly old: Seen | null;
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes a text beside its place, in the deepest folder that is there: those below it are made when it is certain that
 * there is room for everything.
 */
export function stageText(path: string, { bytes, like, old }: NewText, work: Work): Staged {
  const { disk, folders } = work;
  const folder = folders.above(path);
  try {
    const entry = work.temporary(folder);
    const descriptor = disk.openSync(entry, CREATE, like ? like.stat.mode & 0o777 : 0o666);
    try {
      if (like && !keepMode(descriptor, like, work) && old) throw notOurs(path);
      writeAll(disk, descriptor, bytes);
    } finally {
      closeSync(descriptor);
    }
    return { type: 'written', entry };
  } catch (error) {
    if (old === null || !isStuck(error)) throw error;
    return { type: 'opened', file: openInPlace(path, folder.entry(basename(path)), old, work) };
  }
}

/** Whether it now belongs to whom the other belongs to. Marks that run it as its owner are not for another text. */
function keepMode(descriptor: number, { stat }: Seen, { disk }: Work): boolean {
  const own = disk.fstatSync(descriptor);
  let kept = true;
  try {
    if (own.uid !== stat.uid || own.gid !== stat.gid) disk.fchownSync(descriptor, stat.uid, stat.gid);
  } catch (error) {
    if (!isStuck(error)) throw error;
    kept = false;
  }
  // Unless the umask or the new owner changed it, it is right already.
  if ((own.mode & 0o7777) !== (stat.mode & 0o777) || own.uid !== stat.uid)
    disk.fchmodSync(descriptor, stat.mode & 0o777);
  return kept;
}

function notOurs(path: string): Error {
  return systemError('EPERM', 'a new file would belong to another user', path);
}
