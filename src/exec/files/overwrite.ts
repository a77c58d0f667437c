import type { Disk } from './disk.ts';

/**
 * Replaces the contents of an open file. Truncates last: until then the old text still has its space on the disk, and
 * can be restored.
 */
export function overwrite(disk: Disk, descriptor: number, bytes: Buffer): void {
  writeAll(disk, descriptor, bytes);
  disk.ftruncateSync(descriptor, bytes.length);
}

/** Writes from the beginning of a file. */
export function writeAll(disk: Disk, descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += disk.writeSync(descriptor, bytes, at, bytes.length - at, at);
}
