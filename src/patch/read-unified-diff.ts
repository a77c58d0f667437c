import { addLine, type ChunkDraft, draftChunk, isMark, markBare } from './draft-chunk.ts';
import type { Hunk } from './hunk.ts';
import { readHunkHeader } from './hunk-header.ts';
import { PatchError, unexpectedLine } from './patch-error.ts';
import { finishSection, type UnifiedSection } from './unified-section.ts';

/** Position in the diff. `at` is the index of the next line. */
interface Reader {
  readonly lines: readonly string[];
  readonly sections: UnifiedSection[];
  at: number;
}

const GIT = 'diff --git ';

/** The signature of a mail, the next commit, and lines that other tools write before a file. */
const BETWEEN_FILES = /^(?:-- ?$|commit |From |Index: |diff |Only in )/;

/** Most empty lines to skip when checking whether a chunk continues. */
const MOST_BLANK = 100;

/** Reports whether lines are a diff with file names. A text that begins with a marker of Codex's format is not one. */
export function isUnifiedDiff(lines: readonly string[]): boolean {
  if (lines[0]?.trimStart().startsWith('*** ')) return false;
  return lines.some((line, at) => line.startsWith(GIT) || namesFile(lines, at));
}

const namesFile = (lines: readonly string[], at: number) =>
  lines[at]?.startsWith('--- ') === true && lines[at + 1]?.startsWith('+++ ') === true;

/**
 * Reads a unified diff, including git's. Text around the files, such as a commit message, is skipped. Lines may end
 * with a carriage return. Throws `PatchError`.
 */
export function readUnifiedDiff(lines: readonly string[]): Hunk[] {
  const reader: Reader = { lines, sections: [], at: 0 };
  while (reader.at < lines.length) readNext(reader);
  return reader.sections.flatMap(finishSection);
}

function readNext(reader: Reader): void {
  const { lines, at } = reader;
  const line = withoutCarriage(lines[at]);
  if (line.startsWith(GIT)) {
    startSection(reader).git = line.slice(GIT.length);
    reader.at++;
    return;
  }
  if (namesFile(lines, at)) {
    const current = reader.sections.at(-1);
    const section = current === undefined || current.names !== undefined ? startSection(reader) : current;
    section.names = [line.slice(4), withoutCarriage(lines[at + 1]).slice(4)];
    reader.at += 2;
    return;
  }
  const section = reader.sections.at(-1);
  if (line.startsWith('@@')) {
    if (section === undefined) throw new PatchError('The diff does not say which file it changes', at + 1);
    readChunk(reader, section);
    return;
  }
  if (section !== undefined) readHeaderLine(section, line, at + 1);
  reader.at++;
}

function startSection(reader: Reader): UnifiedSection {
  const section: UnifiedSection = { line: reader.at + 1, drafts: [], showsEndings: false };
  reader.sections.push(section);
  return section;
}

function readHeaderLine(section: UnifiedSection, line: string, at: number): void {
  if (section.drafts.length > 0) passOver(section, line, at);
  else if (line.startsWith('new file mode ')) section.isNew = true;
  else if (line.startsWith('deleted file mode ')) section.isDeleted = true;
  else if (line.startsWith('rename from ')) section.renameFrom = line.slice('rename from '.length);
  else if (line.startsWith('rename to ')) section.renameTo = line.slice('rename to '.length);
  else if (line.startsWith('copy from ')) {
    throw new PatchError('A diff that copies a file cannot be applied; add the copy as a new file', at);
  } else if (line === 'GIT binary patch' || /^Binary files .* differ$/.test(line)) {
    throw new PatchError('A diff of a binary file cannot be applied', at);
  }
}

/**
 * Skips a line after the chunks of a file if it belongs to no file. Any other line could be a lost change and is an
 * error.
 */
function passOver(section: UnifiedSection, line: string, at: number): void {
  if (section.isClosed || line.trim() === '') return;
  if (!BETWEEN_FILES.test(line)) throw unexpectedLine(line, at);
  section.isClosed = true;
}

/** Numbers of lines still expected, according to the header. */
interface Left {
  old: number;
  new: number;
}

function readChunk(reader: Reader, section: UnifiedSection): void {
  const headerLine = reader.lines[reader.at] ?? '';
  const header = readHunkHeader(withoutCarriage(headerLine));
  const draft = draftChunk(
    header === undefined ? looseContext(headerLine) : { context: header.context, near: header.near },
  );
  const left: Left = { old: header?.oldCount ?? 0, new: header?.newCount ?? 0 };
  const isCarriageOfPatch = headerLine.endsWith('\r');
  for (reader.at++; reader.at < reader.lines.length; reader.at++) {
    const raw = reader.lines[reader.at] ?? '';
    const line = withoutCarriage(raw);
    if (endsChunk(reader, left)) break;
    if (line.startsWith('\\')) {
      markBare(draft);
      continue;
    }
    const mark = line === '' ? ' ' : line[0];
    if (!isMark(mark)) throw unexpectedLine(line, reader.at + 1);
    const showsCarriage = line !== raw && !isCarriageOfPatch;
    addLine(draft, mark, line.slice(1), showsCarriage ? '\r\n' : '\n');
    section.showsEndings ||= showsCarriage;
    if (mark !== '+') left.old--;
    if (mark !== '-') left.new--;
  }
  if (draft.marks === '') throw new PatchError('Update hunk does not contain any lines', reader.at + 1);
  section.drafts.push(draft);
}

/** Returns the context in a header without numbers. Models write `@@`, `@@ ... @@` or `@@ some line`. */
function looseContext(header: string): ChunkDraft['place'] {
  const text = withoutCarriage(header).slice(2).trim();
  const inner = text.endsWith('@@') ? text.slice(0, -2).trim() : text;
  return { context: /^[.…]*$/.test(inner) ? undefined : inner };
}

/**
 * Reports whether a line ends the chunk. Counts from a model may be wrong: a line that looks like part of the chunk is
 * part of it even after the last counted line.
 */
function endsChunk({ lines, at }: Reader, left: Left): boolean {
  const line = withoutCarriage(lines[at]);
  if (line.startsWith('@@') || line.startsWith(GIT)) return true;
  const isFull = left.old <= 0 && left.new <= 0;
  if (!isFull) {
    // A removed line `-- x` and an added line `++ y` look like file names. In that case the counts match exactly.
    const isContent = left.old === 1 && left.new === 1;
    return !isContent && namesFile(lines, at) && lines[at + 2]?.startsWith('@@') === true;
  }
  let next = at;
  while (next < at + MOST_BLANK && lines[next] !== undefined && withoutCarriage(lines[next]) === '') next++;
  const follows = withoutCarriage(lines[next]);
  return namesFile(lines, next) || follows === '-- ' || !/^[ +\\-]/.test(follows);
}

const withoutCarriage = (line = '') => (line.endsWith('\r') ? line.slice(0, -1) : line);
