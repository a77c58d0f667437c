/** Collects a bracketed paste over any number of reads. */
export interface PasteReader {
  /**
   * Reads bytes from `start` on. Returns the place behind the end mark and the text, or undefined if all bytes belong to
   * the paste.
   */
  push(bytes: Uint8Array, start: number): { readonly next: number; readonly text: string } | undefined;
}

const END_MARK = Buffer.from('\x1b[201~', 'latin1');

/** Returns a reader of one paste. Bytes are copied once and decoded at the end, so a paste costs time in proportion to its size. */
export function createPasteReader(): PasteReader {
  const parts: Buffer[] = [];
  /** The last bytes, if they may be the beginning of the end mark. */
  let held = Buffer.alloc(0);
  return {
    push(bytes, start) {
      const read = Buffer.concat([held, bytes.subarray(start)]);
      const at = read.indexOf(END_MARK);
      if (at >= 0) {
        parts.push(read.subarray(0, at));
        return { next: start + at - held.length + END_MARK.length, text: pastedText(Buffer.concat(parts)) };
      }
      const keep = beginningAtEnd(read);
      parts.push(read.subarray(0, read.length - keep));
      held = read.subarray(read.length - keep);
      return undefined;
    },
  };
}

/** Returns how many of the last bytes are the beginning of the end mark. */
function beginningAtEnd(read: Buffer): number {
  for (let length = Math.min(END_MARK.length - 1, read.length); length > 0; length -= 1)
    if (read.subarray(read.length - length).equals(END_MARK.subarray(0, length))) return length;
  return 0;
}

const pastedText = (bytes: Buffer) => withLineFeeds(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));

/** Returns a pasted text with line feeds: terminals send the key Enter for each line end. */
export const withLineFeeds = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);
