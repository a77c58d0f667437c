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
  /** Present contents. */
  readonly bytes: Buffer;
}

/** Opens a file to overwrite it. It stays open until the transaction ends. */
export function openInPlace(path: string, entry: string, seen: FoundFile, transaction: FileTransaction): OpenedFile {
  const { disk, sandboxed } = transaction;
  const descriptor = disk.openSync(entry, constants.O_RDWR | constants.O_NOFOLLOW | OPEN_FLAGS);
  transaction.opened.push(descriptor);
  const stat = disk.fstatSync(descriptor);
  requireSame(path, seen, stat);
  // The second name may lie outside the writable folders.
  if (sandboxed && stat.nlink > 1)
    throw new StepFailure('permission', `${path} was not written: it has a second name.`);
  return { path, descriptor, seen, bytes: readOpened(disk, descriptor, stat.size) };
}

/** Overwrites a file. After a failure the undo of the transaction restores the old text. */
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
