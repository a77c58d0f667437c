import {
  addLine,
  type ChunkDraft,
  draftChunk,
  finishChunk,
  isMark,
  markBare,
  NOWHERE,
  placeOf,
} from './draft-chunk.ts';
import type { Chunk, Hunk } from './hunk.ts';
import { PatchError, unexpectedLine } from './patch-error.ts';
import { isUnifiedDiff, readUnifiedDiff } from './read-unified-diff.ts';
import { namesSameFile } from './unified-path.ts';

export const BEGIN = '*** Begin Patch';
export const END = '*** End Patch';
const ADD = '*** Add File: ';
const DELETE = '*** Delete File: ';
const UPDATE = '*** Update File: ';
const MOVE = '*** Move to: ';
const END_OF_FILE = '*** End of File';
const ENVIRONMENT = '*** Environment ID:';
const HEADERS: readonly string[] = [ADD, DELETE, UPDATE];

/** Position in the patch. `at` is the index of the current line, `last` that of the line that ends the patch. */
interface Reader {
  readonly lines: readonly string[];
  readonly last: number;
  at: number;
}

/** Reads the lines from `*** Begin Patch` to `*** End Patch`. Throws `PatchError`. */
export function readEnvelope(lines: readonly string[]): Hunk[] {
  const body = lines.slice(1, -1);
  if (body[0]?.startsWith('***') === false && isUnifiedDiff(body)) return readUnifiedDiff(body);
  const reader: Reader = { lines, last: lines.length - 1, at: 1 };
  skipEnvironment(reader);
  const hunks: Hunk[] = [];
  while (reader.at < reader.last) {
    const header = lineAt(reader).trim();
    if (header === END) {
      checkNothingFollows(reader);
      break;
    }
    hunks.push(readHunk(reader, header));
  }
  return hunks;
}

const lineAt = (reader: Reader) => reader.lines[reader.at] ?? '';

/** Skips the line that names an environment. Oxbow has only one. */
function skipEnvironment(reader: Reader): void {
  if (!lineAt(reader).trim().startsWith(ENVIRONMENT)) return;
  if (lineAt(reader).trim() === ENVIRONMENT) throw new PatchError('The environment ID of the patch is empty');
  reader.at++;
  if (!lineAt(reader).trim().startsWith(ENVIRONMENT)) return;
  throw new PatchError('The patch names more than one environment ID');
}

function checkNothingFollows({ lines, at }: Reader): void {
  const rest = lines.slice(at).map((line) => line.trim());
  if (rest.some((line) => line !== '' && line !== END)) {
    throw new PatchError(`The last line of the patch must be '${END}'`);
  }
}

function readHunk(reader: Reader, header: string): Hunk {
  if (header.startsWith(UPDATE)) return readUpdate(reader, header.slice(UPDATE.length));
  reader.at++;
  if (header.startsWith(DELETE)) return { type: 'delete', path: header.slice(DELETE.length) };
  if (header.startsWith(ADD)) return { type: 'add', path: header.slice(ADD.length), text: readAddedText(reader) };
  const valid = HEADERS.map((known) => `'${known}{path}'`).join(', ');
  throw new PatchError(`'${header}' is not a valid hunk header. Valid hunk headers: ${valid}`, reader.at);
}

function readAddedText(reader: Reader): string {
  const added: string[] = [];
  for (; reader.at < reader.last && lineAt(reader).startsWith('+'); reader.at++) {
    added.push(lineAt(reader).slice(1), '\n');
  }
  return added.join('');
}

function readUpdate(reader: Reader, path: string): Hunk {
  const headerLine = ++reader.at;
  const to = readMove(reader);
  skipFileNames(reader, path, to);
  const chunks = readChunks(reader);
  if (chunks.length === 0) throw new PatchError(`Update file hunk for path '${path}' is empty`, headerLine);
  return { type: 'update', path, ...(to !== undefined && { to }), chunks };
}

function readMove(reader: Reader): string | undefined {
  const line = lineAt(reader).trimEnd();
  if (!line.startsWith(MOVE)) return undefined;
  reader.at++;
  return line.slice(MOVE.length);
}

/**
 * Skips the name of the file if the model repeats it as a diff does. Read as changes, these two lines would fit
 * nowhere.
 */
function skipFileNames(reader: Reader, path: string, to: string | undefined): void {
  const { lines, at } = reader;
  if (!lines[at]?.startsWith('--- ') || !lines[at + 1]?.startsWith('+++ ') || !lines[at + 2]?.startsWith('@@')) return;
  const [old = '', fresh = ''] = [lines[at]?.slice(4), lines[at + 1]?.slice(4)];
  if (namesSameFile(old, path) && namesSameFile(fresh, to ?? path)) reader.at += 2;
}

function readChunks(reader: Reader): Chunk[] {
  const chunks: Chunk[] = [];
  let draft: ChunkDraft | undefined;
  for (; reader.at < reader.last; reader.at++) {
    const line = lineAt(reader);
    const mark = line[0];
    if (isMark(mark) && (draft !== undefined || !chunks.at(-1)?.atEnd)) {
      draft ??= draftChunk(NOWHERE);
      addLine(draft, mark, line.slice(1));
      continue;
    }
    const marker = line.trimEnd();
    const isStarted = draft === undefined || draft.marks !== '';
    if (isStarted && (marker === '@@' || marker.startsWith('@@ '))) {
      if (draft !== undefined) chunks.push(finishChunk(draft, false));
      draft = draftChunk(placeOf(marker));
      continue;
    }
    if (endsUpdate(marker)) {
      if (isStarted || marker === END) break;
      throw unexpectedLine(marker, reader.at + 1);
    }
    if (marker === END_OF_FILE && (draft !== undefined || chunks.length === 0)) {
      if (draft !== undefined) chunks.push(finishChunk(withLines(draft, reader), true));
      draft = undefined;
      continue;
    }
    if (chunks.at(-1)?.atEnd && draft === undefined) {
      if (marker === '') continue;
      throw wrongChunkStart(reader);
    }
    draft ??= draftChunk(NOWHERE);
    readOtherLine(reader, draft);
  }
  if (draft !== undefined) chunks.push(finishChunk(withLines(draft, reader), false));
  return chunks;
}

/**
 * Reports whether a line ends an update. Indented markers are context, except for the one that ends the patch, which is
 * recognised by its position.
 */
const endsUpdate = (marker: string) =>
  marker.startsWith('*** ') &&
  (marker === END || HEADERS.some((header) => marker.length > header.length && marker.startsWith(header)));

function withLines(draft: ChunkDraft, reader: Reader): ChunkDraft {
  if (draft.marks === '') throw new PatchError('Update hunk does not contain any lines', reader.at + 1);
  return draft;
}

/** Reads a line without a mark. */
function readOtherLine(reader: Reader, draft: ChunkDraft): void {
  const line = lineAt(reader);
  if (line === '') addLine(draft, ' ', '');
  else if (draft.marks === '') throw unexpectedLine(line, reader.at + 1);
  else if (line.startsWith('\\ No newline')) markBare(draft);
  else throw wrongChunkStart(reader);
}

function wrongChunkStart(reader: Reader): PatchError {
  return new PatchError(
    `Expected update hunk to start with a @@ context marker, got: '${lineAt(reader)}'`,
    reader.at + 1,
  );
}
