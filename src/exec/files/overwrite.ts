import type { Disk } from './disk.ts';

/**
 * Writes over what is in an open file. It is shortened last: until then every byte of the old text has its place on the
 * disk, and can be put back.
 */
export function overwrite(disk: Disk, descriptor: number, bytes: Buffer): void {
  writeAll(disk, descriptor, bytes);
  disk.ftruncateSync(descriptor, bytes.length);
}

/** Writes from the beginning of a file on. */
export function writeAll(disk: Disk, descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += disk.writeSync(descriptor, bytes, at, bytes.length - at, at);
}
