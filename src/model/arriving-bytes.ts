import type { IncomingMessage } from 'node:http';

/** What has come since the last time, null when nothing has. */
export type Take = () => Uint8Array | null;

const MAX_WAITING_BYTES = 64 * 1024;

/** Listens to `data`: a stream that is asked for what is `readable` takes several times as long for each piece. */
export function allAtOnce(incoming: IncomingMessage, onArrival: () => void): Take {
  let waiting: Uint8Array[] = [];
  let size = 0;
  incoming.on('data', (piece: Uint8Array) => {
    waiting.push(piece);
    size += piece.byteLength;
    if (size >= MAX_WAITING_BYTES) incoming.pause();
    onArrival();
  });
  return () => {
    const [first] = waiting;
    if (first === undefined) return null;
    const all = waiting.length === 1 ? first : Buffer.concat(waiting, size);
    if (size >= MAX_WAITING_BYTES) incoming.resume();
    waiting = [];
    size = 0;
    return all;
  };
}

const MAX_WAITING_PIECES = 256;

/** A stream that flows gives its pieces as the parser of HTTP made them. */
export function pieceByPiece(incoming: IncomingMessage, onArrival: () => void): Take {
  const waiting: Uint8Array[] = [];
  incoming.on('data', (piece: Uint8Array) => {
    waiting.push(piece);
    if (waiting.length >= MAX_WAITING_PIECES) incoming.pause();
    onArrival();
  });
  return () => {
    const piece = waiting.shift() ?? null;
    if (waiting.length === 0) incoming.resume();
    return piece;
  };
}
