import { changeExactly } from './change-exactly.ts';
import { closestToContext, closestToLines } from './closest-place.ts';
import type { Chunk } from './hunk.ts';
import { createMatchers } from './line-matchers.ts';
import { type Located, locateChunk, type SearchedFile } from './locate-chunk.ts';
import { PatchError } from './patch-error.ts';
import { type Lines, splitText } from './split-text.ts';

const BYTE_ORDER_MARK = '\ufeff';

type Found = Extract<Located, { type: 'found' }>;

/** The text of a file with an update in it. Throws `PatchError` where a chunk does not fit; `shown` names the file. */
export function changeText(before: string, chunks: readonly Chunk[], shown: string): string {
  if (chunks.length === 0) return before;
  const exact = changeExactly(before, chunks);
  if (exact !== undefined) return exact;
  const split = splitText(before);
  const { lines } = split;
  const file: SearchedFile = { lines, matchers: createMatchers(lines), mayHoldHeaders: before.includes(' @@') };
  const found: Found[] = [];
  let from = 0;
  for (const chunk of chunks) {
    const located = locateChunk(file, chunk, from);
    if (located.type !== 'found') throw new PatchError(failureText(file, chunk, located, shown));
    found.push(located);
    from = located.next;
  }
  const edits = found.flatMap((place) => editsOf(split, place));
  const changed = lastLineAsWanted(writeEdits(split, edits), split, found);
  return isMarkLost(before, changed, chunks) ? BYTE_ORDER_MARK + changed : changed;
}

/** Models do not see the mark at the front of a file, and write its first line without it. */
function isMarkLost(before: string, changed: string, chunks: readonly Chunk[]): boolean {
  if (!before.startsWith(BYTE_ORDER_MARK) || changed === '' || changed.startsWith(BYTE_ORDER_MARK)) return false;
  return !chunks.some(({ oldLines }) => oldLines.some((line) => line.startsWith(BYTE_ORDER_MARK)));
}

function failureText(file: SearchedFile, chunk: Chunk, located: Exclude<Located, Found>, shown: string): string {
  const { from } = located;
  if (located.type === 'no context') {
    const { context } = located;
    return `Failed to find context '${context}' in ${shown}\n${closestToContext(file, context, from)}`;
  }
  const expected = chunk.oldLines.join('\n');
  return `Failed to find expected lines in ${shown}:\n${expected}\n${closestToLines(file, chunk, from)}`;
}

/** Lines `from` to before `to` go, `lines` come. What a chunk only keeps is in no edit: the file's own text stays. */
interface Edit {
  readonly from: number;
  to: number;
  /** With their endings: line, ending, line, ending. */
  readonly lines: string[];
}

function editsOf(file: Lines, { at, chunk }: Found): Edit[] {
  const usual = usualEnding(file, at, chunk);
  const edits: Edit[] = [];
  let old = at;
  let fresh = 0;
  let edit: Edit | undefined;
  for (const mark of chunk.marks) {
    if (mark === ' ') {
      edit = undefined;
      old++;
      fresh++;
      continue;
    }
    if (edit === undefined) {
      edit = { from: old, to: old, lines: [] };
      edits.push(edit);
    }
    if (mark === '-') {
      edit.to = ++old;
      continue;
    }
    edit.lines.push(chunk.newLines[fresh] ?? '', chunk.endings?.[fresh] ?? usual);
    fresh++;
  }
  return edits;
}

/**
 * What ends a new line: in Codex's format the file's first ending. In a unified diff, whose lines end with a line feed,
 * that of a line beside it.
 */
function usualEnding({ text, lines, starts, ending }: Lines, at: number, chunk: Chunk): string {
  if (chunk.lastLine === undefined) return ending;
  const endsAt = (line: number) => text.slice((starts[line] ?? 0) + (lines[line]?.length ?? 0), starts[line + 1]);
  for (let line = at; line < at + chunk.oldLines.length; line++) {
    if (endsAt(line).endsWith('\n')) return endsAt(line);
  }
  const feed = text.indexOf('\n');
  if (feed === -1) return ending;
  return text[feed - 1] === '\r' ? '\r\n' : '\n';
}

/** Additions at the end of the file may have come before changes further up, hence the order. */
function writeEdits({ text, lines, starts, ending }: Lines, edits: Edit[]): string {
  edits.sort((a, b) => a.from - b.from);
  const isBare = endingLength(text) === 0;
  const parts: string[] = [];
  let done = 0;
  for (const edit of edits) {
    parts.push(text.slice(starts[done], starts[edit.from]));
    if (isBare && edit.from === lines.length && done < lines.length) parts.push(ending);
    for (const part of edit.lines) parts.push(part);
    done = edit.to;
  }
  parts.push(text.slice(starts[done]));
  return parts.join('');
}

/** Codex ends every file with a line ending; a unified diff says whether there is one. */
function lastLineAsWanted(text: string, { lines, ending }: Lines, found: readonly Found[]): string {
  const last = found.at(-1);
  if (last?.chunk.lastLine === undefined) return text === '' || endingLength(text) > 0 ? text : text + ending;
  const isEnd = last.at + last.chunk.oldLines.length === lines.length;
  return last.chunk.lastLine === 'bare' && isEnd ? withoutEnding(text, last.chunk.endings?.at(-1)) : text;
}

/** A carriage return that the diff shows before the missing line feed is part of the line. */
function withoutEnding(text: string, shown: string | undefined): string {
  if (shown === '\r\n') return text.endsWith('\n') ? text.slice(0, -1) : text;
  return text.slice(0, text.length - endingLength(text));
}

function endingLength(text: string): number {
  if (text.endsWith('\r\n')) return 2;
  return text.endsWith('\n') || text.endsWith('\r') ? 1 : 0;
}
