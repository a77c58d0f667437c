const whole = new TextDecoder('utf-8', { ignoreBOM: true });
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Returns a decoder of UTF-8 that comes in pieces; null is the end. The decoder holds back an incomplete character and
 * drops a byte order mark. Node decodes streams far more slowly than whole texts, and most pieces are whole texts.
 */
export function createTextDecoder(): (bytes: Uint8Array | null) => string {
  let held: Uint8Array | undefined;
  let isFirst = true;
  return (bytes) => {
    let all = bytes ?? NOTHING;
    if (held !== undefined) all = joined(held, all);
    const end = bytes === null ? all.length : wholeLength(all);
    held = end === all.length ? undefined : all.slice(end);
    const text = Buffer.isBuffer(all) ? all.toString('utf8', 0, end) : whole.decode(all.subarray(0, end));
    if (!isFirst || text === '') return text;
    isFirst = false;
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  };
}

const NOTHING = new Uint8Array();

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

/** Returns the number of bytes that are whole characters, judged by the last three bytes. */
function wholeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    // The first byte of a character says how many bytes the character has.
    if (byte >= 0xc0) return charLength(byte) > back ? length - back : length;
  }
  return length;
}

function charLength(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}
