import { UserError } from '../base/errors.ts';
import type { LogLine } from '../base/log.ts';
import { findEarlier, isQueued } from './earlier-lines.ts';
import { lineHead } from './line-head.ts';
import type { Place } from './lines-back.ts';
import { linesOf, type ReadingOptions } from './lines-of.ts';
import { lineAt, placesBack } from './places-back.ts';
import { readLines } from './read-lines.ts';
import type { LineDecoder } from './rollout-line.ts';
import type { Part, ThreadParts } from './thread-parts.ts';

/** All lines of a thread. */
export async function* allLines(
  thread: ThreadParts,
  options: ReadingOptions,
): AsyncGenerator<LogLine, void, undefined> {
  if (thread.meta) yield thread.meta;
  for (const part of thread.parts.toReversed()) {
    if (part instanceof UserError) throw part;
    yield* linesOf(part, options);
  }
}

/**
 * Lines from which the same state folds as from all: the first one, then from the last base on. A base is a line that
 * replaces the whole history; what else the state takes from before it is looked for. Without a base these are all lines.
 */
export async function* resumeLines(
  thread: ThreadParts,
  options: ReadingOptions,
): AsyncGenerator<LogLine, void, undefined> {
  const back = placesBack(thread.parts);
  const base = thread.meta && findBase(back, options.decode);
  if (!thread.meta || !base) {
    yield* allLines(thread, options);
    return;
  }
  yield thread.meta;
  const { kept, turns, queue } = findEarlier(back, options);
  yield* kept;
  yield* turns;
  if (queue) yield* queuedLines(partsFrom(thread, queue, base), options.decode);
  for (const part of partsFrom(thread, base)) yield* linesOf(part, options);
}

/** Asked step by step: what it did not look at is looked through afterwards. */
function findBase(back: Iterator<Place<Part>, void>, decode: LineDecoder): Place<Part> | undefined {
  for (let next = back.next(); !next.done; next = back.next()) {
    const place = next.value;
    if (place.head && place.head.type !== 'compacted') continue;
    const line = lineAt(place, decode);
    if (line?.type === 'compacted' && line.payload.replacement_history) return place;
  }
  return undefined;
}

/** The parts of a thread from one place up to another, the oldest first. */
function partsFrom({ parts }: ThreadParts, first: Place<Part>, end?: Place<Part>): Part[] {
  const found: Part[] = [];
  for (const part of parts) {
    if (part instanceof UserError) break;
    const to = part === end?.part ? end.start : part.to;
    if (part === first.part) return [{ ...part, from: first.start, to }, ...found];
    if (found.length > 0 || end === undefined || part === end.part) found.unshift({ ...part, to });
  }
  return found;
}

async function* queuedLines(parts: readonly Part[], decode: LineDecoder): AsyncGenerator<LogLine, void, undefined> {
  for (const part of parts) {
    for await (const bytes of readLines(part.fd, part.from, part.to)) {
      const head = lineHead(bytes, 0, bytes.length);
      if (head && !mayBeQueued(head.type, bytes)) continue;
      const line = decode(bytes, () => {});
      if (line && isQueued(line)) yield line;
    }
  }
}

function mayBeQueued(type: string, bytes: Buffer): boolean {
  return type === 'oxbow' || (type === 'response_item' && bytes.includes('"queued"'));
}
