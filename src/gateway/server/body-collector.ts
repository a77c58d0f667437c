/** Collector of the pieces of a body. */
export interface BodyCollector {
  add(piece: Buffer): void;
  /** Returns all pieces as one. */
  whole(): Buffer;
}

/**
 * Returns a collector. A body whose length is known is collected in place: pieces that are joined at the end need twice
 * the memory. `length` is NaN if it is not known.
 */
export function createBodyCollector(length: number): BodyCollector {
  const pieces: Buffer[] = [];
  let known: Buffer | undefined;
  let size = 0;
  return {
    add(piece) {
      if (Number.isNaN(length) || piece.byteLength === length) pieces.push(piece);
      else {
        known ??= Buffer.allocUnsafeSlow(length);
        piece.copy(known, size);
      }
      size += piece.byteLength;
    },
    whole: () => known ?? (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)),
  };
}
