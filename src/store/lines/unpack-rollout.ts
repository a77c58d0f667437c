import { createReadStream, createWriteStream, existsSync, linkSync, rmSync, unlinkSync } from 'node:fs';
import { messageOf, UserError } from '../../base/errors.ts';

const ENDING = '.zst';

/** The path that a rollout has when it is not compressed. */
export function plainPath(path: string): string {
  return path.endsWith(ENDING) ? path.slice(0, -ENDING.length) : path;
}

/**
 * The path of a rollout that can be read line by line. A compressed one is unpacked and takes the place of what it was
 * unpacked from, as Codex does it. Throws `UserError` where that cannot be done.
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
    // Few rollouts are compressed: nobody else should have to load this.
    const { pipeline } = process.getBuiltinModule('node:stream/promises');
    await pipeline(createReadStream(path), unpack, createWriteStream(draft, { mode: 0o600 }));
    putInPlace(draft, plain);
    unlinkSync(path);
    return plain;
  } catch (error) {
    throw new UserError('storage', `${path} cannot be unpacked: ${messageOf(error)}.`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whoever was faster may have gone on with the file already. */
function putInPlace(draft: string, plain: string): void {
  try {
    linkSync(draft, plain);
  } catch (error) {
    if (!existsSync(plain)) throw error;
  }
}

/** Newer Nodes have it. */
function zstd(): NodeJS.ReadWriteStream | undefined {
  const zlib = process.getBuiltinModule('node:zlib') as { createZstdDecompress?: () => NodeJS.ReadWriteStream };
  return zlib.createZstdDecompress?.();
}
