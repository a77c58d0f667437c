import { isRecord } from '../../base/json-schema.ts';
import { ObjectEnd } from '../object-end.ts';

/**
 * Input of a call of which every piece may repeat everything before it (I12). A nested object may begin like the whole
 * input too, so pieces wait until it is clear which they are.
 */
export interface GrowingInput<Piece> {
  /** Returns the pieces that are decided, in their order. `said` is the text that is new in the piece. */
  push(text: string, piece: Piece): readonly GrownPiece<Piece>[];
  /** Ends the input and returns the pieces that waited. */
  end(): readonly GrownPiece<Piece>[];
  /** Whether the input so far is a whole object. */
  readonly isWhole: boolean;
  readonly isEmpty: boolean;
}

export interface GrownPiece<Piece> {
  readonly piece: Piece;
  readonly said: string;
  /** The text of the piece, if it repeats the pieces before it. */
  readonly repeats: boolean;
}

/** Pieces in a row that all begin with everything before them. Four of them are not a coincidence. */
const TELLING = 4;

export function createGrowingInput<Piece>(): GrowingInput<Piece> {
  const end = new ObjectEnd();
  /** The first piece; then every piece that repeats the one before it. Undefined once a piece did not. */
  let chain: string[] | undefined = [];
  let waiting: { readonly text: string; readonly piece: Piece }[] = [];
  let isGrowing = false;
  let sent = 0;

  const say = (said: string, piece: Piece, repeats: boolean): GrownPiece<Piece> => {
    end.push(said);
    sent += said.length;
    return { piece, said, repeats };
  };
  const grown = (text: string, piece: Piece) => say(text.slice(sent), piece, true);
  const settle = (): readonly GrownPiece<Piece>[] => {
    const pieces = waiting;
    waiting = [];
    return pieces.map(({ text, piece }) => (isGrowing ? grown(text, piece) : say(text, piece, false)));
  };

  return {
    push(text, piece) {
      const last = chain?.at(-1);
      const isLonger = last !== undefined && text.length > last.length && text.startsWith(last);
      if (isGrowing && isLonger) {
        chain = [text];
        return [grown(text, piece)];
      }
      if (isLonger) {
        chain?.push(text);
        waiting.push({ text, piece });
        isGrowing = (chain?.length ?? 0) >= TELLING;
        return isGrowing ? settle() : [];
      }
      const isFirst = chain?.length === 0;
      if (isGrowing && last === text) return [{ piece, said: '', repeats: true }];
      const before = settle();
      chain = isFirst && text.trimStart().startsWith('{') ? [text] : undefined;
      isGrowing = false;
      return [...before, say(text, piece, false)];
    },
    end() {
      const last = waiting.at(-1);
      isGrowing ||= last !== undefined && isObject(last.text) && !isObject((chain ?? []).join(''));
      return settle();
    },
    get isWhole() {
      return end.isClosed;
    },
    get isEmpty() {
      return sent === 0 && waiting.length === 0;
    },
  };
}

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
