import { createReadStream, createWriteStream, existsSync, linkSync, rmSync, unlinkSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';
import { assertSingleFrame } from './assert-single-frame.ts';

const ENDING = '.zst';

/** Returns the path that a rollout has when it is not compressed. */
export function plainPath(path: string): string {
  return path.endsWith(ENDING) ? path.slice(0, -ENDING.length) : path;
}

/**
 * Returns the path of a rollout that is not compressed. Unpacks a compressed rollout and replaces it, as Codex does.
 * Throws `UserError` if it cannot be unpacked.
 */
export async function unpackRollout(path: string, unpacker = zstd): Promise<string> {
  const plain = plainPath(path);
  if (plain === path || existsSync(plain)) return plain;
  const unpack = unpacker();
  if (!unpack) {
    throw new UserError(
      'unsupported',
      `${path} is compressed, which this Node (${process.version}) cannot read. Use Node 22.15 or newer, or unpack it with: zstd -d --rm ${path}`,
    );
  }
  const draft = `${plain}.${process.pid}.unpacking`;
  try {
    // Loaded only here, because few rollouts are compressed.
    const { pipeline } = process.getBuiltinModule('node:stream/promises');
    await pipeline(createReadStream(path), unpack(path), createWriteStream(draft, { mode: 0o600 }));
    putInPlace(draft, plain);
    unlinkSync(path);
    return plain;
  } catch (error) {
    throw new UserError('storage', `${path} cannot be unpacked: ${fileFault(error)}.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Puts an unpacked file in place, unless another process was faster. Its file may have grown already. */
function putInPlace(draft: string, plain: string): void {
  try {
    linkSync(draft, plain);
  } catch (error) {
    if (!existsSync(plain)) throw error;
  }
}

/** Returns a function that opens a decompressor for all of a file, or undefined in Node versions without zstd. */
function zstd(): Unpack | undefined {
  const { createZstdDecompress } = process.getBuiltinModule('node:zlib') as {
    createZstdDecompress?: () => NodeJS.ReadWriteStream;
  };
  if (!createZstdDecompress) return undefined;
  return (path) => {
    assertSingleFrame(path);
    return createZstdDecompress();
  };
}

type Unpack = (path: string) => NodeJS.ReadWriteStream;
