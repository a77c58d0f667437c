import { diffLines } from '../../../src/patch/diff-lines.ts';
import type { Difference } from '../../../src/patch/slide-differences.ts';

/** A line of a file and its ending. */
export interface EndedLine {
  readonly text: string;
  readonly ending: string;
}

/** Returns the change of one file as a model writes it: with just enough context to show the place. */
export function renderUpdate(path: string, before: readonly string[], after: readonly string[]): string {
  const differences = diffLines(before, after);
  const chunks: string[] = [];
  let cursor = 0;
  for (const difference of differences) {
    const [from, to] = widened(before, difference, cursor);
    chunks.push('@@', ...before.slice(from, difference.oldFrom).map((line) => ` ${line}`));
    chunks.push(...before.slice(difference.oldFrom, difference.oldTo).map((line) => `-${line}`));
    chunks.push(...after.slice(difference.newFrom, difference.newTo).map((line) => `+${line}`));
    chunks.push(...before.slice(difference.oldTo, to).map((line) => ` ${line}`));
    cursor = to;
  }
  return ['*** Begin Patch', `*** Update File: ${path}`, ...chunks, '*** End Patch'].join('\n');
}

/** Returns the lines that a chunk must show, so that their first occurrence after `cursor` is the right one. */
function widened(before: readonly string[], { oldFrom, oldTo }: Difference, cursor: number): readonly [number, number] {
  let [from, to] = [oldFrom, oldTo];
  // Additions without any context line go to the end of the file.
  if (from === to && to < before.length) to++;
  while (firstPlace(before, before.slice(from, to), cursor) !== from) from--;
  return [from, to];
}

function firstPlace(lines: readonly string[], wanted: readonly string[], from: number): number {
  if (wanted.length === 0) return lines.length;
  for (let at = from; at < lines.length; at++) {
    if (wanted.every((line, nth) => lines[at + nth] === line)) return at;
  }
  return -1;
}

/**
 * Returns the lines `after` as they stand in a file that had `before`: kept lines unchanged, others with its first
 * ending.
 */
export function expectedText(before: readonly EndedLine[], after: readonly string[]): string {
  const texts = before.map(({ text }) => text);
  const first = before[0]?.ending || '\n';
  const ended = (line: EndedLine) => line.text + (line.ending || first);
  const parts: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of diffLines(texts, after)) {
    parts.push(...before.slice(at, oldFrom).map(ended));
    parts.push(...after.slice(newFrom, newTo).map((line) => line + first));
    at = oldTo;
  }
  return [...parts, ...before.slice(at).map(ended)].join('');
}
