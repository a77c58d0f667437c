import { constants } from 'node:fs';
import { type FoundFile, requireSame } from './examine-file.ts';
import type { FileTransaction } from './file-transaction.ts';
import { overwrite } from './overwrite.ts';
import { OPEN_FLAGS, readOpened } from './read-opened.ts';
import { StepFailure } from './step-failure.ts';

export interface OpenedFile {
  readonly path: string;
  readonly descriptor: number;
  readonly seen: FoundFile;
  /** What is in it now. */
  readonly bytes: Buffer;
}

/** Opens a file to write over what is in it. It stays open until the work ends. */
export function openInPlace(path: string, entry: string, seen: FoundFile, transaction: FileTransaction): OpenedFile {
  const { disk, sandboxed } = transaction;
  const descriptor = disk.openSync(entry, constants.O_RDWR | constants.O_NOFOLLOW | OPEN_FLAGS);
  transaction.opened.push(descriptor);
  const stat = disk.fstatSync(descriptor);
  requireSame(path, seen, stat);
  // Its other name may lie outside of what may be written.
  if (sandboxed && stat.nlink > 1)
    throw new StepFailure('permission', `${path} was not written: it has a second name.`);
  return { path, descriptor, seen, bytes: readOpened(disk, descriptor, stat.size) };
}

/** Writes over what is in a file. On a failure before its end the old text is put back when the work is undone. */
export function writeInPlace(
  { path, descriptor, seen, bytes }: OpenedFile,
  text: Buffer,
  transaction: FileTransaction,
): void {
  requireSame(path, seen, transaction.disk.fstatSync(descriptor));
  transaction.onUndo(`The old text of ${path} could not be written back`, () =>
    overwrite(transaction.disk, descriptor, bytes),
  );
  overwrite(transaction.disk, descriptor, text);
}
