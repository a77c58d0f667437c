import { closeSync, constants, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Disk } from './disk.ts';
import type { FileTransaction } from './file-transaction.ts';
import { OPEN_FLAGS, readOpened, SIZE_LIMIT } from './read-opened.ts';
import { StepFailure } from './step-failure.ts';
import type { FileStep } from './steps.ts';
import { codeOf } from './system-error.ts';

/** A file as it was found. */
export interface FoundFile {
  readonly stat: Stats;
  readonly startsWithBom: boolean;
}

/** Holds what is on the disk against what a step expects. Null where nothing is; throws `StepFailure` otherwise. */
export function examineFile({ type, path, expected }: FileStep, { disk, folders }: FileTransaction): FoundFile | null {
  const entry = folders.get(dirname(path))?.entry(basename(path));
  const stat = entry === undefined ? undefined : statOf(disk, entry);
  if (entry === undefined || stat === undefined) {
    if (typeof expected === 'string' || type === 'remove') throw outdated(`${path} is no longer there.`);
    return null;
  }
  if (stat.isDirectory()) throw new StepFailure('execution', `${path} is a folder.`);
  if (expected === null) throw outdated(`${path} is there by now.`);
  // A link is removed as what it is; what it leads to stays.
  if (stat.isSymbolicLink() && type === 'remove') return { stat, startsWithBom: false };
  if (!stat.isFile()) throw new StepFailure('execution', `${path} is not a regular file.`);
  // One that may not be written is not replaced either, though its folder would allow that.
  const access = type === 'write' ? constants.O_RDWR : constants.O_RDONLY;
  const bytes = readSmall(disk, { entry, access, limit: Buffer.byteLength(expected ?? '') + BOM.length });
  if (expected === undefined) return { stat, startsWithBom: false };
  if (bytes === undefined || !isText(bytes, expected)) throw outdated(`${path} has changed since it was read.`);
  return { stat, startsWithBom: bytes.subarray(0, BOM.length).equals(BOM) };
}

/** Undefined where nothing is. */
export function statOf(disk: Disk, entry: string): Stats | undefined {
  try {
    return disk.lstatSync(entry);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Throws `StepFailure` where a file is another, or was written to. */
export function requireSame(path: string, { stat }: FoundFile, now: Stats): void {
  const isSame = now.ino === stat.ino && now.dev === stat.dev && now.size === stat.size && now.mtimeMs === stat.mtimeMs;
  if (!isSame) throw outdated(`${path} has changed since it was read.`);
}

/** The failure of a patch that was made for other files than there are. */
export function outdated(what: string): StepFailure {
  return new StepFailure('execution', what, { advice: 'Read it again and make a new patch.' });
}

const BOM = Buffer.from('\uFEFF');

interface SmallFile {
  readonly entry: string;
  readonly access: number;
  readonly limit: number;
}

/** Undefined where it is larger: no text that was read from it could be longer than its bytes. */
function readSmall(disk: Disk, { entry, access, limit }: SmallFile): Buffer | undefined {
  const descriptor = disk.openSync(entry, access | OPEN_FLAGS | constants.O_NOFOLLOW);
  try {
    const { size } = disk.fstatSync(descriptor);
    return size > Math.min(limit, SIZE_LIMIT) ? undefined : readOpened(disk, descriptor, size);
  } finally {
    closeSync(descriptor);
  }
}

/** Whoever read it may have kept the mark at its beginning, or not. */
function isText(bytes: Buffer, expected: string): boolean {
  const text = bytes.toString('utf8');
  return text === expected || withoutBom(text) === withoutBom(expected);
}

function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
