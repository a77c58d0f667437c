/**
 * Text of which every piece may repeat everything before it (I12). A text may also repeat its own beginning, so pieces
 * wait until it is clear which they are.
 */
export interface GrowingText<Piece> {
  /** Returns the pieces that are decided, in their order. */
  push(text: string, piece: Piece): readonly GrownPiece<Piece>[];
  /** Ends the text and returns the pieces that waited. */
  end(): readonly GrownPiece<Piece>[];
  /** Reports whether pieces wait. */
  isWaiting(): boolean;
  /** Reports whether pieces may still turn out to repeat the text before them. */
  isOpen(): boolean;
}

export interface GrownPiece<Piece> {
  readonly piece: Piece;
  /** The part of the piece that is new. */
  readonly said: string;
  /** Whether the piece repeats the text before it. */
  readonly repeats: boolean;
}

export interface GrowingTextOptions {
  /** Reports whether pieces, each of which begins with the one before it, do not do so by chance. */
  isTold(pieces: readonly string[]): boolean;
  /** Reports the same of pieces that the text ends with. */
  isToldAtEnd(pieces: readonly string[]): boolean;
}

export function createGrowingText<Piece>({ isTold, isToldAtEnd }: GrowingTextOptions): GrowingText<Piece> {
  /** The first piece, and every piece after it that repeats the one before. Undefined once a piece did not. */
  let chain: string[] | undefined = [];
  let waiting: { readonly text: string; readonly piece: Piece }[] = [];
  let isGrowing = false;
  let sent = 0;

  const settle = (): readonly GrownPiece<Piece>[] => {
    const pieces = waiting;
    waiting = [];
    return pieces.map(({ text, piece }) => {
      const said = isGrowing ? text.slice(sent) : text;
      sent += said.length;
      return { piece, said, repeats: isGrowing };
    });
  };

  return {
    push(text, piece) {
      const last = chain?.at(-1);
      waiting.push({ text, piece });
      if (isGrowing && last === text) return settle();
      if (last !== undefined && text.length > last.length && text.startsWith(last)) {
        chain = isGrowing ? [text] : [...(chain ?? []), text];
        isGrowing ||= isTold(chain);
        return isGrowing ? settle() : [];
      }
      chain = chain?.length === 0 ? [text] : undefined;
      isGrowing = false;
      return settle();
    },
    end() {
      isGrowing ||= waiting.length > 0 && isToldAtEnd(chain ?? []);
      const rest = settle();
      if (!isGrowing) chain = undefined;
      return rest;
    },
    isWaiting: () => waiting.length > 0,
    isOpen: () => chain !== undefined,
  };
}

/** Pieces in a row that all begin with everything before them. As many as these are not a coincidence. */
export const TELLING_PIECES = 4;
