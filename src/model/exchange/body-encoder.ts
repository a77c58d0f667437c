import type { RequestText } from '../../base/request-text.ts';

/** Encodes a request's text. The part that it shares with the text before is not encoded again. */
export type BodyEncoder = (text: RequestText) => readonly Uint8Array[];

/**
 * Returns an encoder that keeps the bytes of a history and appends to them, because a history is sent with every
 * request and only grows. Kept bytes are never overwritten: an earlier request may still be on its way out.
 */
export function createBodyEncoder(): BodyEncoder {
  let head = '';
  let entries: readonly string[] = [];
  let bytes: Buffer = Buffer.alloc(0);
  /** Ends of the head and of each entry. */
  const ends = [0];

  /**
   * Keeps the head and `count` entries, and makes room for `added` bytes after them. Returns where the kept bytes end.
   */
  function keep(count: number, added: number): number {
    const isCut = count + 1 < ends.length;
    ends.length = count + 1;
    const end = ends[count] ?? 0;
    if (isCut || end + added > bytes.length) bytes = copyOf(bytes.subarray(0, end), end + added);
    return end;
  }

  return (text) => {
    if (text.head !== head) {
      bytes = Buffer.from(text.head);
      ends.splice(0, ends.length, bytes.length);
      head = text.head;
      entries = [];
    }
    const common = commonLength(entries, text.entries);
    let end = keep(common, sizeOf(text.entries, common));
    for (let index = common; index < text.entries.length; index++) {
      if (index > 0) end += bytes.write(',', end);
      end += bytes.write(text.entries[index] ?? '', end);
      ends.push(end);
    }
    entries = text.entries;
    return [bytes.subarray(0, end), Buffer.from(text.rest)];
  };
}

/** Returns the number of bytes of the entries from `from` on, each with a comma. */
function sizeOf(entries: readonly string[], from: number): number {
  let size = 0;
  for (let index = from; index < entries.length; index++) size += 1 + Buffer.byteLength(entries[index] ?? '');
  return size;
}

/** Returns a copy with spare room. Without it each turn would copy everything. */
function copyOf(bytes: Buffer, size: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(Math.ceil(size * GROWTH));
  bytes.copy(copy);
  return copy;
}

const GROWTH = 1.5;

function commonLength(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}
