import { UserError } from '../base/errors.ts';
import type { LogLine } from '../base/log.ts';
import { linesBack, type Place, readAt } from './lines-back.ts';
import type { LineDecoder } from './rollout-line.ts';
import type { Part } from './thread-parts.ts';

/** The lines of a thread from its last on. Throws the `UserError` that stands where something is missing. */
export function* placesBack(parts: readonly (Part | UserError)[]): Generator<Place<Part>, void> {
  for (const part of parts) {
    if (part instanceof UserError) throw part;
    yield* linesBack(part);
  }
}

/** The line at a place; undefined when it cannot be used. */
export function lineAt({ part, start, end }: Place, decode: LineDecoder): LogLine | undefined {
  const bytes = Buffer.allocUnsafe(end - 1 - start);
  readAt(part.fd, bytes, start, bytes.length);
  return decode(bytes, () => {});
}
