import type { BigIntStats } from 'node:fs';

/**
 * Returns a text that changes whenever a file or folder is written to or replaced. Only the kernel can set the time of
 * the last change.
 */
export function changeMark({ dev, ino, size, ctimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${ctimeNs}`;
}

/** Longest step of the clock from which the kernel takes the time of a change, with room to spare. */
const STEP_MS = 50;

/**
 * Does the same for something that is about to be read. After a recent change the mark is one that no entry has: another
 * change could still get the same time.
 */
export function settledMark(stat: BigIntStats): string {
  const isSettled = Date.now() - Number(stat.ctimeNs / 1_000_000n) > STEP_MS;
  return isSettled ? changeMark(stat) : `unsettled ${performance.now()}`;
}

/**
 * Returns a text that identifies an entry, whatever it contains. The inode number alone may soon belong to another
 * entry.
 */
export function identityMark({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}
