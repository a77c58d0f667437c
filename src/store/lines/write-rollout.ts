import { mkdirSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { fileFault } from '../../base/file-fault.ts';

const WRITE_BYTES = 256 * 1024;
const LINE_FEED = Buffer.from('\n');

/** Writes the lines of a new rollout. The file appears when it is complete. Throws `UserError`. */
export async function writeRollout(path: string, lines: AsyncIterable<Buffer>): Promise<void> {
  const draft = `${path}.draft`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx', 0o600);
    try {
      for await (const block of blocksOf(lines)) await file.writeFile(block);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof UserError) throw error;
    throw new UserError('storage', `The fork cannot be written to ${path}: ${fileFault(error)}.`);
  }
}

async function* blocksOf(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const line of lines) {
    pieces.push(line, LINE_FEED);
    size += line.length + 1;
    if (size < WRITE_BYTES) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    size = 0;
  }
  yield Buffer.concat(pieces);
}
