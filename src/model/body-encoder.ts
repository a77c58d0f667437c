import type { RequestText } from '../base/request-text.ts';

/** Encodes a request's text. What it has in common with the one before is not encoded again. */
export type BodyEncoder = (text: RequestText) => readonly Uint8Array[];

/**
 * A history is sent with every request and only grows: so its bytes are kept and added to. They are never written over, since
 * an earlier request may still be on its way out.
 */
export function createBodyEncoder(): BodyEncoder {
  let texts: readonly string[] = [];
  /** Where each of them ends. */
  let ends: number[] = [];
  let bytes: Buffer = Buffer.alloc(0);

  return ({ growing, rest }) => {
    const common = commonLength(texts, growing);
    const start = common === 0 ? 0 : (ends[common - 1] ?? 0);
    const added = growing.slice(common);
    const size = added.reduce((sum, text) => sum + Buffer.byteLength(text), start);
    if (common < texts.length || size > bytes.length) bytes = copyOf(bytes.subarray(0, start), size);
    ends = ends.slice(0, common);
    let end = start;
    for (const text of added) {
      end += bytes.write(text, end);
      ends.push(end);
    }
    texts = growing;
    return [bytes.subarray(0, end), Buffer.from(rest)];
  };
}

/** With room for what comes: else each turn would copy all. */
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
