import { diffLines } from './diff-lines.ts';
import type { Difference } from './slide-differences.ts';
import { NO_FILE, quotePath } from './unified-path.ts';

export interface TextChange {
  /** Path as the diff shows it, relative or absolute. */
  readonly path: string;
  readonly to?: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Number of context lines around a difference. */
const CONTEXT = 3;

/** Number of characters that are searched for a NUL, which makes a file binary. Git does the same. */
const BINARY_PROBE = 8000;

/**
 * Returns the change of a file as git shows it; empty if nothing changed. Real modes and hashes of files are not known
 * here.
 */
export function gitDiff({ path, to = path, before, after }: TextChange): string {
  if (before === after && path === to) return '';
  const isRename = path !== to && before !== null && after !== null;
  const [oldName, newName] = [prefixed('a', before === null ? to : path), prefixed('b', after === null ? path : to)];
  const header = [`diff --git ${oldName} ${newName}\n`];
  if (before === null) header.push('new file mode 100644\n');
  if (after === null) header.push('deleted file mode 100644\n');
  if (isRename && before === after) header.push('similarity index 100%\n');
  if (isRename) header.push(`rename from ${quotePath(path)}\nrename to ${quotePath(to)}\n`);
  const [left, right] = [before === null ? NO_FILE : oldName, after === null ? NO_FILE : newName];
  if ((before ?? '') === (after ?? '')) return header.join('');
  if (isBinary(before) || isBinary(after)) return `${header.join('')}Binary files ${left} and ${right} differ\n`;
  return `${header.join('')}--- ${ended(left)}\n+++ ${ended(right)}\n${hunks(before ?? '', after ?? '')}`;
}

/** Ends a name with spaces with a tab. */
const ended = (name: string) => (name.includes(' ') ? `${name}\t` : name);

const prefixed = (side: 'a' | 'b', path: string) =>
  quotePath(path.startsWith('/') ? `${side}${path}` : `${side}/${path}`);

const isBinary = (text: string | null) => text?.slice(0, BINARY_PROBE).includes('\0') ?? false;

function hunks(before: string, after: string): string {
  const oldLines = linesOf(before);
  const newLines = linesOf(after);
  const parts: string[] = [];
  for (const group of grouped(diffLines(oldLines, newLines))) writeHunk(parts, group, oldLines, newLines);
  return parts.join('');
}

/** Splits a text into lines with their endings: a last line without an ending differs from the same line with one. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end === -1 ? text.length : end + 1;
    lines.push(text.slice(at, next));
    at = next;
  }
  return lines;
}

/** Groups differences whose context would touch. */
function grouped(all: readonly Difference[]): Difference[][] {
  const groups: Difference[][] = [];
  for (const difference of all) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && difference.oldFrom - last.oldTo <= 2 * CONTEXT) groups.at(-1)?.push(difference);
    else groups.push([difference]);
  }
  return groups;
}

function writeHunk(
  parts: string[],
  group: readonly Difference[],
  oldLines: readonly string[],
  newLines: readonly string[],
): void {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return;
  const lead = Math.min(CONTEXT, first.oldFrom);
  const trail = Math.min(CONTEXT, oldLines.length - last.oldTo);
  const old = span(first.oldFrom - lead, last.oldTo + trail);
  const fresh = span(first.newFrom - lead, last.newTo + trail);
  parts.push(`@@ -${old} +${fresh} @@\n`);
  let at = first.oldFrom - lead;
  for (const { oldFrom, oldTo, newFrom, newTo } of group) {
    writeLines(parts, ' ', oldLines, at, oldFrom);
    writeLines(parts, '-', oldLines, oldFrom, oldTo);
    writeLines(parts, '+', newLines, newFrom, newTo);
    at = oldTo;
  }
  writeLines(parts, ' ', oldLines, at, last.oldTo + trail);
}

/** Returns a range of lines as text. An empty range is named by the line before it, as readers of diffs expect. */
function span(from: number, to: number): string {
  const count = to - from;
  if (count === 1) return String(from + 1);
  return `${count === 0 ? from : from + 1},${count}`;
}

function writeLines(parts: string[], mark: string, lines: readonly string[], from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const line = lines[at] ?? '';
    parts.push(mark, line);
    if (!line.endsWith('\n')) parts.push('\n\\ No newline at end of file\n');
  }
}
