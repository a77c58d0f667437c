import type { Beginning } from './read-bounded.ts';
import { wholeCharacters } from './whole-characters.ts';

export interface FilledBudget<File> {
  readonly texts: readonly string[];
  /** File of which only the beginning fitted. */
  readonly cut: File | null;
  /** Files that did not fit at all. */
  readonly dropped: readonly File[];
}

/**
 * Returns the texts of files, in their order, as far as their bytes fit into the budget. The file that crosses the
 * limit is cut, and the files after it are dropped. Blank files use no budget. `read` returns at most `limit` bytes of
 * a file, or undefined for a file that cannot be read.
 */
export function fillBudget<File>(
  files: readonly File[],
  budget: number,
  read: (file: File, limit: number) => Beginning | undefined,
): FilledBudget<File> {
  const texts: string[] = [];
  const dropped: File[] = [];
  let cut: File | null = null;
  let left = budget;
  for (const file of files) {
    if (left === 0 || cut !== null) {
      dropped.push(file);
      continue;
    }
    const beginning = read(file, left);
    if (beginning === undefined) continue;
    if (!beginning.whole) cut = file;
    const bytes = beginning.whole ? beginning.bytes : wholeCharacters(beginning.bytes);
    const text = toText(bytes);
    if (text.trim() === '') continue;
    texts.push(text);
    left -= bytes.length;
  }
  return { texts, cut, dropped };
}

/** Decodes UTF-8. Other bytes become replacement characters. */
export function toText(bytes: Buffer): string {
  return bytes.toString('utf8');
}
