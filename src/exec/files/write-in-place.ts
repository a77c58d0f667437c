import { constants } from 'node:fs';
import { requireSame, type Seen } from './examine-file.ts';
import { overwrite } from './overwrite.ts';
import { OPEN_FLAGS, readOpened } from './read-opened.ts';
import { StepFailure } from './step-failure.ts';
import type { Work } from './work.ts';

export interface OpenedFile {
  readonly path: string;
  readonly descriptor: number;
  readonly seen: Seen;
  /** What is in it now. */
  readonly bytes: Buffer;
}

/** Opens a file to write over what is in it. It stays open until the work ends. */
export function openInPlace(path: string, entry: string, seen: Seen, work: Work): OpenedFile {
  const { disk, sandboxed } = work;
  const descriptor = disk.openSync(entry, constants.O_RDWR | constants.O_NOFOLLOW | OPEN_FLAGS);
  work.opened.push(descriptor);
  const stat = disk.fstatSync(descriptor);
  requireSame(path, seen, stat);
  // Its other name may lie outside of what may be written.
  if (sandboxed && stat.nlink > 1)
    throw new StepFailure('permission', `${path} was not written: it has a second name.`);
  return { path, descriptor, seen, bytes: readOpened(disk, descriptor, stat.size) };
}

/** Writes over what is in a file. On a failure before its end the old text is put back when the work is undone. */
export function writeInPlace({ path, descriptor, seen, bytes }: OpenedFile, text: Buffer, work: Work): void {
  requireSame(path, seen, work.disk.fstatSync(descriptor));
  work.did(`The old text of ${path} could not be written back`, () => overwrite(work.disk, descriptor, bytes));
  overwrite(work.disk, descriptor, text);
}
