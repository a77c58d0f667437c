import { closeSync, openSync, readSync } from 'node:fs';

/** More than any environment that was met; its pages cost nothing until they are used. */
const block = Buffer.allocUnsafe(256 * 1024);

/** A file of /proc; undefined when it is gone or not ours to read. Half the cost of `readFileSync`. */
export function readProcFile(path: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    return block.toString('latin1', 0, readSync(descriptor, block, 0, block.length, 0));
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
