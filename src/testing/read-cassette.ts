import { readFile } from 'node:fs/promises';
import { messageOf, UserError } from '../base/errors.ts';
import type { Cassette } from '../cassette/cassette.ts';
import { decodeCassette } from '../cassette/decode-cassette.ts';

/** Reads a cassette from its file. Throws `UserError` with the path, and with the line of a mistake. */
export async function readCassette(path: string): Promise<Cassette> {
  try {
    return decodeCassette(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UserError(error instanceof UserError ? error.code : 'storage', `${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
