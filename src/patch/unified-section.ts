import { type ChunkDraft, finishChunk } from './draft-chunk.ts';
import type { Chunk, Hunk } from './hunk.ts';
import { PatchError } from './patch-error.ts';
import { gitPaths, NO_FILE, pathsOf, unquotePath } from './unified-path.ts';

/** The part of a unified diff about one file, still being read. */
export interface UnifiedSection {
  /** First line of the section, counted from 1. */
  readonly line: number;
  readonly drafts: ChunkDraft[];
  /** Text after `diff --git `. */
  git?: string;
  /** Texts after `--- ` and `+++ `. */
  names?: readonly [string, string];
  isNew?: true;
  isDeleted?: true;
  renameFrom?: string;
  renameTo?: string;
  /** Whether a line that belongs to no file was read after the chunks. */
  isClosed?: true;
  /** Whether the carriage returns of the file can be distinguished from those of the diff. */
  showsEndings: boolean;
}

/** Returns the change of the file; empty if only its mode changes. Throws `PatchError`. */
export function finishSection(section: UnifiedSection): Hunk[] {
  const [path, to] = sectionPaths(section);
  if (section.isDeleted || to === NO_FILE) return [{ type: 'delete', path: path === NO_FILE ? to : path }];
  if (section.isNew || path === NO_FILE) return [{ type: 'add', path: to, text: newText(section) }];
  const chunks = section.drafts.map((draft) => unifiedChunk(draft, section.showsEndings));
  if (path !== to) return [{ type: 'update', path, to, chunks }];
  if (chunks.length > 0) return [{ type: 'update', path, chunks }];
  if (section.names === undefined) return [];
  throw new PatchError(`Update file hunk for path '${path}' is empty`, section.line);
}

function sectionPaths(section: UnifiedSection): readonly [string, string] {
  const { renameFrom, renameTo, names, git = '' } = section;
  const paths =
    renameFrom !== undefined && renameTo !== undefined
      ? ([unquotePath(renameFrom), unquotePath(renameTo)] as const)
      : names === undefined
        ? gitPaths(git)
        : pathsOf(...names);
  const isNamed = paths !== undefined && !paths.includes('') && paths.some((path) => path !== NO_FILE);
  if (!isNamed) throw new PatchError('The diff does not say which file it changes', section.line);
  return paths;
}

function newText(section: UnifiedSection): string {
  if (section.drafts.some(({ oldLines }) => oldLines.some((line) => line !== ''))) {
    throw new PatchError('The diff adds a file and has lines that would already be in it', section.line);
  }
  const text = section.drafts.flatMap(({ newLines, endings }) => newLines.flatMap((line, at) => [line, endings[at]]));
  const whole = text.join('');
  return section.drafts.at(-1)?.isBare ? whole.slice(0, -1) : whole;
}

function unifiedChunk(draft: ChunkDraft, showsEndings: boolean): Chunk {
  return { lastLine: 'kept', ...finishChunk(draft, false), ...(showsEndings && { endings: draft.endings }) };
}
