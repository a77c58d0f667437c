import type { Chunk } from './hunk.ts';
import { readHunkHeader } from './hunk-header.ts';

type Mark = ' ' | '-' | '+';

export const isMark = (mark: string | undefined): mark is Mark => mark === ' ' || mark === '-' || mark === '+';

/** A chunk whose lines are still being read. */
export interface ChunkDraft {
  readonly place: Pick<Chunk, 'context' | 'near' | 'header'>;
  readonly oldLines: string[];
  readonly newLines: string[];
  readonly endings: string[];
  marks: string;
  /** Whether the last new line has no ending. */
  isBare: boolean;
}

/** Place of a chunk that is found only by its lines. */
export const NOWHERE: ChunkDraft['place'] = { context: undefined };

export function draftChunk(place: ChunkDraft['place']): ChunkDraft {
  return { place, oldLines: [], newLines: [], endings: [], marks: '', isBare: false };
}

/** Returns the place that an `@@` line of Codex's format names: a line of the file, or a unified header. */
export function placeOf(line: string): ChunkDraft['place'] {
  if (line === '@@') return NOWHERE;
  const unified = readHunkHeader(line);
  if (unified === undefined) return { context: line.slice(3) };
  return { context: unified.context, near: unified.near, header: line };
}

/**
 * Adds a line. Files are split at lone carriage returns too, so old lines and context are split in the same way. New
 * lines are written unchanged.
 */
export function addLine(draft: ChunkDraft, mark: Mark, text: string, ending = '\n'): void {
  if (mark === '+' || !text.includes('\r')) addPart(draft, mark, text, ending);
  else for (const part of text.split('\r')) addPart(draft, mark, part, ending);
}

function addPart(draft: ChunkDraft, mark: Mark, text: string, ending: string): void {
  draft.marks += mark;
  if (mark !== '+') draft.oldLines.push(text);
  if (mark === '-') return;
  draft.newLines.push(text);
  draft.endings.push(ending);
  draft.isBare = false;
}

/** Notes that the line just added has no ending. */
export function markBare(draft: ChunkDraft): void {
  draft.isBare = !draft.marks.endsWith('-');
}

/** Returns the chunk, without line endings, which only unified diffs show. */
export function finishChunk({ place, oldLines, newLines, marks, isBare }: ChunkDraft, atEnd: boolean): Chunk {
  // Spreading is slow, and nearly all chunks do not need it.
  const plain: Chunk = { context: place.context, oldLines, newLines, marks, atEnd };
  if (place.near === undefined && !isBare) return plain;
  return { ...plain, ...place, ...(isBare && { lastLine: 'bare' as const }) };
}
