import { UserError } from '../base/errors.ts';
import { readLines } from './read-lines.ts';
import { lineDecoder } from './rollout-line.ts';
import { openParts } from './thread-parts.ts';

/**
 * The lines of a thread but the first of each file, as bytes without their line feeds; those included that a fork of
 * Codex's only points to. The bytes are good until the next line is asked for. Throws `UserError` where a file is missing
 * or not to be read.
 */
export async function* rawLines(home: string, path: string): AsyncGenerator<Buffer, void, undefined> {
  const thread = await openParts(path, { home, decode: lineDecoder((line) => line) });
  try {
    for (const part of thread.parts.toReversed()) {
      if (part instanceof UserError) throw part;
      yield* readLines(part.fd, part.from, part.to);
    }
  } finally {
    thread.close();
  }
}
