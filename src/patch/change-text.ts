import { changeExactly } from './change-exactly.ts';
import { closestToContext, closestToLines } from './closest-place.ts';
import type { Chunk } from './hunk.ts';
import { createMatchers } from './line-matchers.ts';
import { type Located, locateChunk, type SearchedFile } from './locate-chunk.ts';
import { PatchError } from './patch-error.ts';
import { type Lines, splitText } from './split-text.ts';

const BYTE_ORDER_MARK = '\ufeff';

type Found = Extract<Located, { type: 'found' }>;

/**
 * Applies an update to the text of a file. Throws `PatchError` if a chunk does not fit. `shown` is the name of the file
 * in the message.
 */
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

/** Reports whether a byte order mark was lost. Models do not see the mark, and write the first line without it. */
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

/**
 * Replacement of the lines from `from` up to but not including `to`. Context lines are in no edit: the text of the file
 * stays.
 */
interface Edit {
  readonly from: number;
  to: number;
  /** Lines and their endings, alternating. */
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
 * Returns the ending of new lines. In Codex's format it is the first ending of the file. Lines of a unified diff end
 * with a line feed, so there it is the ending of a neighbouring line.
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

/**
 * Writes the text with all edits. Edits are sorted, since an addition at the end of the file may precede other changes.
 */
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

/**
 * Fixes the ending of the last line. Codex ends every file with a line ending; a unified diff says whether there is
 * one.
 */
function lastLineAsWanted(text: string, { lines, ending }: Lines, found: readonly Found[]): string {
  const last = found.at(-1);
  if (last?.chunk.lastLine === undefined) return text === '' || endingLength(text) > 0 ? text : text + ending;
  const isEnd = last.at + last.chunk.oldLines.length === lines.length;
  return last.chunk.lastLine === 'bare' && isEnd ? withoutEnding(text, last.chunk.endings?.at(-1)) : text;
}

/** Removes the ending of the last line. A carriage return that the diff shows before the missing line feed stays. */
function withoutEnding(text: string, shown: string | undefined): string {
  if (shown === '\r\n') return text.endsWith('\n') ? text.slice(0, -1) : text;
  return text.slice(0, text.length - endingLength(text));
}

function endingLength(text: string): number {
  if (text.endsWith('\r\n')) return 2;
  return text.endsWith('\n') || text.endsWith('\r') ? 1 : 0;
}
