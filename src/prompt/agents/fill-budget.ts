import type { Beginning } from './read-bounded.ts';
import { wholeCharacters } from './whole-characters.ts';

export interface Filled<File> {
  readonly texts: readonly string[];
  /** The one of which only the beginning had room. */
  readonly cut: File | null;
  /** Those that had no room at all. */
  readonly dropped: readonly File[];
}

/**
 * The texts of files, in their order, as long as their bytes have room together. Of the one that crosses the limit there
 * is the beginning, of those behind it nothing. Blank ones take no room. `read` gives at most so many bytes of a file, or
 * undefined when it cannot be read.
 */
export function fillBudget<File>(
  files: readonly File[],
  budget: number,
  read: (file: File, limit: number) => Beginning | undefined,
): Filled<File> {
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

/** What is no UTF-8 becomes replacement characters. */
export function toText(bytes: Buffer): string {
  return bytes.toString('utf8');
}
