/** Bytes that are kept of the start of an output, and as many of its end. */
const SIDE_BYTES = 512 * 1024;

/** An output of any length in bounded memory. */
export interface HeadTailBuffer {
  /** Copies the bytes that are kept, so that the caller may reuse `bytes`. */
  append(bytes: Uint8Array): void;
  render(): Rendered;
}

export interface Rendered {
  readonly text: string;
  /** First bytes of a character whose last bytes are missing. They are not part of the text. */
  readonly unfinished: Uint8Array;
}

const FIRST_ALLOCATION = 4096;

export function createHeadTailBuffer(sideBytes: number = SIDE_BYTES): HeadTailBuffer {
  let head = Buffer.alloc(0);
  let headLength = 0;
  let ring: Buffer | undefined;
  let ringTotal = 0;

  function appendHead(bytes: Uint8Array): void {
    const needed = headLength + bytes.length;
    if (needed > head.length) {
      const grown = Buffer.allocUnsafe(Math.min(sideBytes, Math.max(needed, head.length * 2, FIRST_ALLOCATION)));
      head.copy(grown, 0, 0, headLength);
      head = grown;
    }
    head.set(bytes, headLength);
    headLength = needed;
  }

  function appendRing(bytes: Uint8Array): void {
    ring ??= Buffer.allocUnsafe(sideBytes);
    const kept = bytes.length > sideBytes ? bytes.subarray(bytes.length - sideBytes) : bytes;
    const at = (ringTotal + bytes.length - kept.length) % sideBytes;
    const fits = Math.min(kept.length, sideBytes - at);
    ring.set(kept.subarray(0, fits), at);
    ring.set(kept.subarray(fits), 0);
    ringTotal += bytes.length;
  }

  function tail(): Buffer {
    if (ring === undefined) return Buffer.alloc(0);
    if (ringTotal <= sideBytes) return ring.subarray(0, ringTotal);
    const start = ringTotal % sideBytes;
    return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
  }

  return {
    append(bytes) {
      const room = Math.min(sideBytes - headLength, bytes.length);
      if (room > 0) appendHead(bytes.subarray(0, room));
      if (room < bytes.length) appendRing(bytes.subarray(room));
    },
    render() {
      const start = head.subarray(0, headLength);
      if (ringTotal <= sideBytes) return decode(ringTotal === 0 ? start : Buffer.concat([start, tail()]));
      return decodeAroundGap(start, tail(), ringTotal - sideBytes);
    },
  };
}

/** Returns how many bytes at the end begin a character without finishing it. */
export function unfinishedLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

function decode(bytes: Buffer): Rendered {
  const end = bytes.length - unfinishedLength(bytes);
  // A copy, so that a few bytes do not keep the whole buffer alive.
  return { text: bytes.toString('utf8', 0, end), unfinished: Uint8Array.from(bytes.subarray(end)) };
}

function decodeAroundGap(start: Buffer, end: Buffer, gap: number): Rendered {
  const startEnd = start.length - unfinishedLength(start);
  let endStart = 0;
  while (endStart < 3 && isContinuation(end[endStart] ?? 0)) endStart++;
  const omitted = gap + (start.length - startEnd) + endStart;
  const { text, unfinished } = decode(end.subarray(endStart));
  return { text: `${start.toString('utf8', 0, startEnd)}\n... ${omitted} bytes omitted ...\n${text}`, unfinished };
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function characterLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xc2 && lead < 0xe0 ? 2 : 1;
}
