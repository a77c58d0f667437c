import { UserError } from '../../base/errors.ts';
import type { StoredLine } from '../../base/thread-store.ts';
import { lineHead } from '../../log/line-head.ts';
import type { LineDecoder } from '../../log/rollout-line.ts';
import { findEarlierLines, isQueued, type ResumeOptions } from './earlier-lines.ts';
import { type FilePart, type LinePosition, linesBack } from './lines-back.ts';
import { lineAt, readLines } from './read-lines.ts';
import type { ThreadParts } from './thread-parts.ts';

/**
 * Yields lines that fold to the same state as all lines: the first line, and everything from the last base on. A base
 * is a line that replaces the whole history. In between come the earlier lines that the state still needs. Without a
 * base, yields all lines.
 */
export async function* resumeLines(
  thread: ThreadParts,
  options: ResumeOptions,
): AsyncGenerator<StoredLine, void, undefined> {
  const back = positionsBack(thread.parts);
  const base = thread.first && findBase(back, options.decode);
  if (!thread.first || !base) {
    yield* allLines(thread);
    return;
  }
  yield thread.first;
  const { kept, turns, queue } = findEarlierLines(back, options);
  yield* kept;
  yield* turns;
  if (queue) yield* queuedLines(partsFrom(thread, queue, base), options.decode);
  for (const part of partsFrom(thread, base)) yield* readLines(part);
}

async function* allLines(thread: ThreadParts): AsyncGenerator<StoredLine, void, undefined> {
  if (thread.first) yield thread.first;
  for (const part of thread.parts.toReversed()) {
    if (part instanceof UserError) throw part;
    yield* readLines(part);
  }
}

/**
 * Yields the positions of a thread's lines, from the last to the first. Throws the `UserError` that stands for a
 * missing part.
 */
function* positionsBack(parts: ThreadParts['parts']): Generator<LinePosition<FilePart>, void, undefined> {
  for (const part of parts) {
    if (part instanceof UserError) throw part;
    yield* linesBack(part);
  }
}

/** Returns the last base. Advances the iterator by hand, so that the caller can search the remaining positions. */
function findBase(
  back: Iterator<LinePosition<FilePart>, void>,
  decode: LineDecoder,
): LinePosition<FilePart> | undefined {
  for (let next = back.next(); !next.done; next = back.next()) {
    const position = next.value;
    if (position.head && position.head.type !== 'compacted') continue;
    const line = decode(lineAt(position).bytes, () => {});
    if (line?.type === 'compacted' && line.payload.replacement_history) return position;
  }
  return undefined;
}

/** Returns the parts of a thread from one position up to another, the oldest first. */
function partsFrom({ parts }: ThreadParts, first: LinePosition<FilePart>, end?: LinePosition<FilePart>): FilePart[] {
  const found: FilePart[] = [];
  for (const part of parts) {
    if (part instanceof UserError) break;
    const to = part === end?.part ? end.start : part.to;
    if (part === first.part) return [{ ...part, from: first.start, to }, ...found];
    if (found.length > 0 || end === undefined || part === end.part) found.unshift({ ...part, to });
  }
  return found;
}

async function* queuedLines(
  parts: readonly FilePart[],
  decode: LineDecoder,
): AsyncGenerator<StoredLine, void, undefined> {
  for (const part of parts) {
    for await (const stored of readLines(part)) {
      const { bytes } = stored;
      const head = lineHead(bytes, 0, bytes.length);
      if (head && !mayBeQueued(head.type, bytes)) continue;
      const line = decode(bytes, () => {});
      if (line && isQueued(line)) yield stored;
    }
  }
}

function mayBeQueued(type: string, bytes: Buffer): boolean {
  if (type !== 'response_item') return type === 'oxbow';
  return bytes.includes('"queued"') || bytes.includes('"metadata":{"command"');
}
