import { fromBinaryText, toBinaryText } from './binary-text.ts';
import { REDACTED, type RecordedChunk } from './cassette.ts';
import { type FrameString, frameStrings } from './frame-strings.ts';
import { mergeSpans, type SecretFinder, type SecretSpan } from './secret-finder.ts';

/** Remover of secrets from a body that comes in chunks. The number of chunks and their times stay the same. */
export interface ChunkRedactor {
  /** Returns the chunks that are now known to be safe. */
  push(chunk: RecordedChunk): readonly RecordedChunk[];
  /** Returns all remaining chunks. */
  end(): readonly RecordedChunk[];
}

/** Number of bytes held back before any are returned: a secret that began has ended by then. */
const MAX_HELD_BYTES = 1024 * 1024;

/**
 * Creates a redactor. It holds chunks back, since a secret may span chunks, or deltas with other text between them. A
 * secret is replaced in the chunk where it begins, and its rest is dropped from later ones.
 */
export function createChunkRedactor(secrets: SecretFinder, maxHeldBytes = MAX_HELD_BYTES): ChunkRedactor {
  let held: RecordedChunk[] = [];
  let bytes = 0;
  const release = (keepBytes: number): readonly RecordedChunk[] => {
    const texts = held.map((chunk) => toBinaryText(chunk.bytes));
    const matches = findMatches(texts.join(''), secrets);
    const count = safeCount(texts, matches, keepBytes);
    const ready = applyMatches(texts.slice(0, count), matches).map((text, index) => ({
      ms: held[index]?.ms ?? 0,
      bytes: fromBinaryText(text),
    }));
    held = held.slice(count);
    bytes = held.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
    return ready;
  };
  return {
    push(chunk) {
      held.push(chunk);
      bytes += chunk.bytes.length;
      return bytes > maxHeldBytes ? release(maxHeldBytes / 2) : [];
    },
    end: () => release(0),
  };
}

/** One secret: its parts in the text. Only the first part gets a mark. */
interface Match {
  readonly parts: readonly SecretSpan[];
}

function findMatches(text: string, secrets: SecretFinder): Match[] {
  const whole = secrets.findBytes(text).map((span) => ({ parts: [span] }));
  return [...whole, ...findInStreams(text, secrets)];
}

/** Finds secrets that are spread over several frames. */
function findInStreams(text: string, secrets: SecretFinder): Match[] {
  const streams = new Map<string, FrameString[]>();
  for (const string of frameStrings(text)) {
    const strings = streams.get(string.stream);
    if (strings) strings.push(string);
    else streams.set(string.stream, [string]);
  }
  return [...streams.values()]
    .filter((strings) => strings.length > 1)
    .flatMap((strings) => {
      const told = strings.map(({ start, end }) => text.slice(start, end)).join('');
      return secrets.findBytes(told).map((span) => ({ parts: partsOf(span, strings) }));
    });
}

/** Returns the parts of the text that a span of the joined strings covers. */
function partsOf(span: SecretSpan, strings: readonly FrameString[]): SecretSpan[] {
  const parts: SecretSpan[] = [];
  let before = 0;
  for (const { start, end } of strings) {
    const from = Math.max(span.start - before, 0);
    const to = Math.min(span.end - before, end - start);
    if (from < to) parts.push({ start: start + from, end: start + to });
    before += end - start;
  }
  return parts;
}

/**
 * Returns the number of chunks that can be released: all but the last `keepBytes`, without any that shares a secret
 * with a held chunk.
 */
function safeCount(texts: readonly string[], matches: readonly Match[], keepBytes: number): number {
  const ends: number[] = [];
  for (const text of texts) ends.push((ends.at(-1) ?? 0) + text.length);
  const total = ends.at(-1) ?? 0;
  const torn = (at: number) =>
    matches.some(({ parts }) => (parts[0]?.start ?? at) < at && (parts.at(-1)?.end ?? at) > at);
  let count = texts.length;
  while (count > 0) {
    const end = ends[count - 1] ?? 0;
    if (end <= total - keepBytes && !torn(end)) break;
    count--;
  }
  return count;
}

function applyMatches(texts: readonly string[], matches: readonly Match[]): string[] {
  const cuts = mergeSpans(matches.flatMap(({ parts }) => parts));
  const firsts = new Set(matches.map(({ parts }) => parts[0]?.start));
  const mark = ({ start }: SecretSpan) => (firsts.has(start) ? REDACTED : '');
  let before = 0;
  let next = 0;
  return texts.map((text) => {
    const end = before + text.length;
    let result = '';
    let at = before;
    for (let cut = cuts[next]; cut !== undefined && cut.start < end; cut = cuts[next]) {
      if (cut.start >= before) result += text.slice(at - before, cut.start - before) + mark(cut);
      at = Math.min(cut.end, end);
      if (cut.end > end) break;
      next++;
    }
    result += text.slice(at - before);
    before = end;
    return result;
  });
}
