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

/**
 * Compares the file on the disk with the expectation of a step. Returns null where there is no file. Throws
 * `StepFailure` where the two differ.
 */
export function examineFile({ type, path, expected }: FileStep, { disk, folders }: FileTransaction): FoundFile | null {
  const entry = folders.get(dirname(path))?.entry(basename(path));
  const stat = entry === undefined ? undefined : statOf(disk, entry);
  if (entry === undefined || stat === undefined) {
    if (typeof expected === 'string' || type === 'remove') throw outdated(`${path} is no longer there.`);
    return null;
  }
  if (stat.isDirectory()) throw new StepFailure('execution', `${path} is a folder.`);
  if (expected === null) throw outdated(`${path} is there by now.`);
  // A link itself is removed, and its target stays.
  if (stat.isSymbolicLink() && type === 'remove') return { stat, startsWithBom: false };
  if (!stat.isFile()) throw new StepFailure('execution', `${path} is not a regular file.`);
  // A file that we may not write is not replaced either, though its folder would allow that.
  const access = type === 'write' ? constants.O_RDWR : constants.O_RDONLY;
  const bytes = readSmall(disk, { entry, access, limit: Buffer.byteLength(expected ?? '') + BOM.length });
  if (expected === undefined) return { stat, startsWithBom: false };
  if (bytes === undefined || !isText(bytes, expected)) throw outdated(`${path} has changed since it was read.`);
  return { stat, startsWithBom: bytes.subarray(0, BOM.length).equals(BOM) };
}

/** Returns undefined where there is no entry. */
export function statOf(disk: Disk, entry: string): Stats | undefined {
  try {
    return disk.lstatSync(entry);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Throws `StepFailure` where a file was replaced or written to. */
export function requireSame(path: string, { stat }: FoundFile, now: Stats): void {
  const isSame = now.ino === stat.ino && now.dev === stat.dev && now.size === stat.size && now.mtimeMs === stat.mtimeMs;
  if (!isSame) throw outdated(`${path} has changed since it was read.`);
}

/** Returns the failure of a patch that does not fit the present files. */
export function outdated(what: string): StepFailure {
  return new StepFailure('execution', what, { advice: 'Read it again and make a new patch.' });
}

const BOM = Buffer.from('\uFEFF');

interface SmallFile {
  readonly entry: string;
  readonly access: number;
  readonly limit: number;
}

/** Returns the bytes of a file; undefined where it is larger than `limit`, and so cannot be the expected text. */
function readSmall(disk: Disk, { entry, access, limit }: SmallFile): Buffer | undefined {
  const descriptor = disk.openSync(entry, access | OPEN_FLAGS | constants.O_NOFOLLOW);
  try {
    const { size } = disk.fstatSync(descriptor);
    return size > Math.min(limit, SIZE_LIMIT) ? undefined : readOpened(disk, descriptor, size);
  } finally {
    closeSync(descriptor);
  }
}

/** Compares bytes with a text. A byte order mark at the beginning of either does not count. */
function isText(bytes: Buffer, expected: string): boolean {
  const text = bytes.toString('utf8');
  return text === expected || withoutBom(text) === withoutBom(expected);
}

function withoutBom(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
