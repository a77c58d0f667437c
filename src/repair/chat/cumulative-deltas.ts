/**
 * Reasoning of which every piece may repeat all that came before it (E6). Keeps no text: of what was sent, only its
 * length and a hash are known.
 */
export interface CumulativeDeltas {
  /** What is new in a piece; undefined while it cannot be told whether it repeats or goes on. */
  push(piece: string): string | undefined;
  /** Whether a text is all of the reasoning so far once more, and that is no chance. */
  repeatsAll(text: string): boolean;
  /** What was held back, if anything was. */
  end(): string;
  /** Whether pieces repeat what came before them. */
  readonly repeats: boolean;
}

/** From these lengths on it is no chance that a piece begins with all that came before it, or is the same. */
const TELLING_BEGINNING = 8;
const TELLING_WHOLE = 16;
/** A text of fewer different characters, such as a line of dashes, may well go on as it began. */
const TELLING_VARIETY = 4;
/** Beyond this nobody sends all of it again. */
const MAX_CHARS = 1024 * 1024;

export function createCumulativeDeltas(): CumulativeDeltas {
  let length = 0;
  let hash = SEED;
  let repeats = false;
  /** Pieces that repeat something short. */
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
    get repeats() {
      return repeats;
    },
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

/** Whether it can be no chance that a piece repeats so many characters. */
function isTelling(piece: string, repeated: number): boolean {
  if (repeated < (piece.length > repeated ? TELLING_BEGINNING : TELLING_WHOLE)) return false;
  return new Set(piece.slice(0, Math.min(repeated, 64))).size >= TELLING_VARIETY;
}
