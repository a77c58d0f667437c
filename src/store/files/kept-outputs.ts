import { closeSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputKeeper } from '../../base/environment.ts';

/** Most bytes that are kept of one command. */
export const MOST_OF_COMMAND = 64 * 1024 * 1024;
/** Most bytes that are kept of all commands of a thread. */
const MOST_OF_THREAD = 1024 * 1024 * 1024;

export interface KeptOutputsOptions {
  /** Most bytes of one command. */
  readonly mostOfCommand?: number;
}

/**
 * Keeps outputs in one file below the home. The file has no name once it is open, so that nothing is left of it however
 * this process ends, and no command can reach it. The file is made with the first output.
 */
export function createKeptOutputs(
  home: string,
  name: string,
  { mostOfCommand = MOST_OF_COMMAND }: KeptOutputsOptions = {},
): OutputKeeper {
  const kept = new Map<string, Kept>();
  let size = 0;
  /** Null if the file cannot be made or written to, and after the end. */
  let fd: number | null | undefined;

  function write(output: Kept, bytes: Uint8Array): void {
    const room = Math.min(mostOfCommand - output.bytes, MOST_OF_THREAD - size);
    const part = bytes.length > room ? bytes.subarray(0, Math.max(0, room)) : bytes;
    if (part.length < bytes.length) output.isWhole = false;
    if (part.length === 0) return;
    fd ??= openNameless(join(home, 'outputs'), name);
    if (fd === null || !writeAll(fd, part, size)) {
      output.isWhole = false;
      return;
    }
    const last = output.pieces.at(-1);
    if (last && last.at + last.length === size) last.length += part.length;
    else output.pieces.push({ at: size, length: part.length });
    output.bytes += part.length;
    size += part.length;
  }

  return {
    begin(itemId) {
      const output: Kept = { pieces: [], bytes: 0, isWhole: true };
      kept.set(itemId, output);
      let came = false;
      return {
        write(bytes) {
          came = true;
          write(output, bytes);
        },
        end(text) {
          if (!came && text !== '') write(output, Buffer.from(text));
        },
      };
    },
    read(itemId) {
      const output = kept.get(itemId);
      if (!output || (output.bytes === 0 && !output.isWhole)) return undefined;
      const bytes = fd == null ? Buffer.alloc(0) : readPieces(fd, output);
      return { text: bytes.toString('utf8'), isWhole: output.isWhole };
    },
    close() {
      kept.clear();
      if (typeof fd === 'number') closeSync(fd);
      fd = null;
    },
  };
}

interface Kept {
  /** Positions in the file. Outputs of commands that run at once alternate. */
  readonly pieces: { readonly at: number; length: number }[];
  bytes: number;
  isWhole: boolean;
}

/** Opens a file and takes its name away. Returns null if that is impossible. */
function openNameless(folder: string, name: string): number | null {
  const path = join(folder, name);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fd = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return fd;
  } catch {
    return null;
  }
}

function writeAll(fd: number, bytes: Uint8Array, position: number): boolean {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
    return true;
  } catch {
    return false;
  }
}

function readPieces(fd: number, { pieces, bytes }: Kept): Buffer {
  const whole = Buffer.allocUnsafe(bytes);
  let end = 0;
  for (const { at, length } of pieces) end += readSync(fd, whole, end, length, at);
  return whole.subarray(0, end);
}
