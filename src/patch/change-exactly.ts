import type { Chunk } from './hunk.ts';

/**
 * Applies chunks whose old lines match the text exactly, without splitting the text into lines. Nearly all patches
 * match like this, and it is many times faster. Returns undefined in any other case; then `changeText` applies all
 * chunks.
 */
export function changeExactly(before: string, chunks: readonly Chunk[]): string | undefined {
  if (before === '' || before.includes('\r') || !chunks.every(isPlain)) return undefined;
  // With a line feed before and after each line, every match begins and ends at a line boundary.
  const text = before.endsWith('\n') ? `\n${before}` : `\n${before}\n`;
  const parts: string[] = [];
  const additions: string[] = [];
  let done = 1;
  let cursor = 0;
  for (const { context, oldLines, newLines } of chunks) {
    if (context !== undefined) {
      const at = text.indexOf(`\n${context}\n`, cursor);
      if (at === -1) return undefined;
      cursor = at + context.length + 1;
    }
    if (oldLines.length === 0) {
      additions.push(ended(newLines));
      continue;
    }
    const wanted = `\n${oldLines.join('\n')}\n`;
    const at = text.indexOf(wanted, cursor);
    // The order of an addition at the end of the file and a later chunk needs more care.
    if (at === -1 || additions.length > 0) return undefined;
    parts.push(text.slice(done, at + 1), ended(newLines));
    cursor = at + wanted.length - 1;
    done = cursor + 1;
  }
  parts.push(text.slice(done));
  return parts.concat(additions).join('');
}

/** Reports whether a chunk is placed only by its old lines and its context. */
const isPlain = ({ near, atEnd, lastLine }: Chunk) => near === undefined && !atEnd && lastLine === undefined;

const ended = (lines: readonly string[]) => (lines.length === 0 ? '' : `${lines.join('\n')}\n`);
