import type { Hunk } from './hunk.ts';
import { PatchError } from './patch-error.ts';
import { BEGIN, END, readEnvelope } from './read-envelope.ts';
import { isUnifiedDiff, readUnifiedDiff } from './read-unified-diff.ts';
import { unwrapPatch } from './unwrap-patch.ts';

export type { Hunk } from './hunk.ts';

/** Most nested wrappers that make sense: an element around CDATA around a fence around a heredoc. */
const MOST_WRAPPERS = 4;

/** Reads a patch: Codex's format with all its leniency, or a unified diff, wrapped or not. Throws `PatchError`. */
export function parsePatch(text: string): readonly Hunk[] {
  let body = text;
  for (let depth = 0; ; depth++) {
    const trimmed = body.trim();
    const lines = trimmed === '' ? [] : trimmed.split('\n').map(withoutCarriage);
    const fault = envelopeFault(lines);
    if (fault === undefined) return readEnvelope(lines);
    const inner = depth < MOST_WRAPPERS ? unwrapPatch(trimmed) : undefined;
    if (inner === undefined) {
      if (isUnifiedDiff(lines)) return readUnifiedDiff(withoutOuterBreaks(body).split('\n'));
      throw new PatchError(fault);
    }
    body = inner;
  }
}

function withoutCarriage(line: string): string {
  if (!line.endsWith('\r')) return line;
  let end = line.length;
  while (end > 0 && line.charCodeAt(end - 1) === 13) end--;
  return line.slice(0, end);
}

function envelopeFault(lines: readonly string[]): string | undefined {
  const first = lines[0]?.trim();
  const last = lines.at(-1)?.trim();
  if (first !== undefined && first !== BEGIN) return `The first line of the patch must be '${BEGIN}'`;
  return last === END ? undefined : `The last line of the patch must be '${END}'`;
}

/** Removes line breaks around a diff. Other white space stays: a diff may end with a blank context line. */
const withoutOuterBreaks = (text: string) => text.replace(/^[\r\n]+/, '').replace(/\n$/, '');
