/**
 * Reasoning of which every piece may repeat everything before it (E6, seen with MiniMax). Keeps no text: only the
 * length and a hash of the text that was sent.
 */
export interface CumulativeDeltas {
  /** Returns the new part of a piece; undefined while the piece may be a repetition or a continuation. */
  push(piece: string): string | undefined;
  /** Reports whether a text repeats the whole reasoning so far, and is too long to do so by chance. */
  repeatsAll(text: string): boolean;
  /** Returns the text that was held back. */
  end(): string;
  /** Reports whether pieces repeat the pieces before them. */
  repeats(): boolean;
}

/** From these lengths on, a piece does not begin with everything before it, or repeat it, by chance. */
const TELLING_BEGINNING = 8;
const TELLING_WHOLE = 16;
/** A text with fewer different characters, such as a line of dashes, may well continue as it began. */
const TELLING_VARIETY = 4;
/** Longer reasoning is not expected to be sent again. */
const MAX_CHARS = 1024 * 1024;

export function createCumulativeDeltas(): CumulativeDeltas {
  let length = 0;
  let hash = SEED;
  let repeats = false;
  /** Pieces that repeat a short text. */
  let doubtful: string[] = [];

  const send = (text: string): string => {
    length += text.length;
    if (length <= MAX_CHARS) hash = hashOf(text, text.length, hash);
    return text;
  };
  const beginsWithAll = (piece: string) =>
    length > 0 && length <= Math.min(piece.length, MAX_CHARS) && hashOf(piece, length, SEED) === hash;

  return {
    push(piece) {
      const last = doubtful.at(-1);
      const isAgain = last === undefined ? beginsWithAll(piece) : piece.startsWith(last);
      if (!isAgain) return send(takeDoubtful() + piece);
      repeats ||= isTelling(piece, last?.length ?? length);
      if (!repeats) {
        doubtful.push(piece);
        return undefined;
      }
      takeDoubtful();
      return send(piece.slice(length));
    },
    repeatsAll: (text) =>
      text.length === length && doubtful.length === 0 && beginsWithAll(text) && isTelling(text, length),
    end: () => send(takeDoubtful()),
    repeats: () => repeats,
  };

  function takeDoubtful(): string {
    const text = doubtful.join('');
    doubtful = [];
    return text;
  }
}

const SEED = 0x811c9dc5;

function hashOf(text: string, length: number, seed: number): number {
  let hash = seed;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** Reports whether a piece repeats too many characters for it to be chance. */
function isTelling(piece: string, repeated: number): boolean {
  if (repeated < (piece.length > repeated ? TELLING_BEGINNING : TELLING_WHOLE)) return false;
  return new Set(piece.slice(0, Math.min(repeated, 64))).size >= TELLING_VARIETY;
}
