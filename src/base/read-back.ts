import { UserError } from './errors.ts';
import type { PlacedLine, ThreadCatalogue } from './thread-store.ts';

/** Reads the lines of a thread from the last to the first. A store that cannot do that is read as a whole. */
export function readBack(store: ThreadCatalogue, id: string, before?: string): AsyncIterable<PlacedLine> {
  return store.readBack?.(id, before) ?? reversed(store, id, before);
}

async function* reversed(store: ThreadCatalogue, id: string, before?: string): AsyncGenerator<PlacedLine> {
  const end = before === undefined ? Number.POSITIVE_INFINITY : Number(before);
  if (Number.isNaN(end)) throw unknownCursor(before);
  const lines: PlacedLine[] = [];
  for await (const { label, number, bytes } of store.read(id)) {
    if (lines.length >= end) break;
    lines.push({ label, number, bytes: Buffer.from(bytes), cursor: String(lines.length) });
  }
  yield* lines.reverse();
}

/** Returns the error for a cursor that a store did not make. */
export function unknownCursor(cursor: string | undefined): UserError {
  return new UserError('invalid_input', `${JSON.stringify(cursor)} is not a place in the log of this thread.`);
}
