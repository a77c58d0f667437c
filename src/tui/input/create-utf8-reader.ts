/** Turns bytes into characters, one byte at a time. */
export interface Utf8Reader {
  /** Reads a byte of at least 128, or any byte while `isInside`. Returns the characters that it completes. */
  push(byte: number): readonly string[];
  /** Whether the bytes so far are the beginning of a character. */
  readonly isInside: boolean;
  /** Returns what stands for an unfinished character, and begins anew. */
  end(): readonly string[];
}

const REPLACEMENT = '\ufffd';

/**
 * Returns a reader. An invalid beginning of a character becomes one U+FFFD, as in `TextDecoder`, which cannot be used since
 * it holds back when a sequence of keys begins after half a character.
 */
export function createUtf8Reader(): Utf8Reader {
  let missing = 0;
  let code = 0;
  let [low, high] = [0x80, 0xbf];
  const begin = (byte: number): readonly string[] => {
    const shape = SHAPES.find(({ from, to }) => byte >= from && byte <= to);
    if (shape === undefined) return byte < 0x80 ? [String.fromCharCode(byte)] : [REPLACEMENT];
    missing = shape.missing;
    code = byte & (0x3f >> missing);
    [low, high] = [shape.low ?? 0x80, shape.high ?? 0xbf];
    return [];
  };
  const end = () => {
    const isInside = missing > 0;
    missing = 0;
    return isInside ? [REPLACEMENT] : [];
  };
  return {
    get isInside() {
      return missing > 0;
    },
    end,
    push: (byte) => {
      if (missing === 0) return begin(byte);
      if (byte < low || byte > high) return [...end(), ...begin(byte)];
      code = (code << 6) | (byte & 0x3f);
      [low, high] = [0x80, 0xbf];
      missing -= 1;
      return missing === 0 ? [String.fromCodePoint(code)] : [];
    },
  };
}

/** First bytes of characters: the bytes that follow, and the bounds of the second byte, which exclude invalid forms. */
const SHAPES: readonly {
  readonly from: number;
  readonly to: number;
  readonly missing: number;
  readonly low?: number;
  readonly high?: number;
}[] = [
  { from: 0xc2, to: 0xdf, missing: 1 },
  { from: 0xe0, to: 0xe0, missing: 2, low: 0xa0 },
  { from: 0xe1, to: 0xec, missing: 2 },
  { from: 0xed, to: 0xed, missing: 2, high: 0x9f },
  { from: 0xee, to: 0xef, missing: 2 },
  { from: 0xf0, to: 0xf0, missing: 3, low: 0x90 },
  { from: 0xf1, to: 0xf3, missing: 3 },
  { from: 0xf4, to: 0xf4, missing: 3, high: 0x8f },
];
