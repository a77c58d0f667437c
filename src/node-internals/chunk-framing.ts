import { ServerResponse } from 'node:http';

/**
 * Takes the framing of a chunked body over from Node, and reports whether it did. Call it after the head was set. Chunks then
 * go through `writeChunk`, and `returnFraming` is called before the response ends.
 *
 * Relies on `ServerResponse.chunkedEncoding`, a field that Node does not document: `write` frames a chunk only if it is true,
 * and `end` writes the last chunk and the trailers only if it is true. A response whose `write` was replaced, such as by
 * middleware that compresses, is left to Node.
 */
export function takeFraming(response: ServerResponse): boolean {
  const isTaken = response.chunkedEncoding && response.write === ServerResponse.prototype.write;
  if (isTaken) response.chunkedEncoding = false;
  return isTaken;
}

/** Writes bytes as one chunk in one piece. Returns false when the client does not keep up. */
export function writeChunk(response: ServerResponse, bytes: string | Uint8Array): boolean {
  const size = Buffer.byteLength(bytes);
  const head = `${size.toString(16)}\r\n`;
  if (typeof bytes !== 'string') return response.write(Buffer.concat([Buffer.from(head), bytes, LINE_END]));
  // A text whose characters are one byte each is the same in both encodings, and Node writes this one faster.
  return response.write(`${head}${bytes}\r\n`, size === bytes.length ? 'latin1' : 'utf8');
}

const LINE_END = Buffer.from('\r\n');

/** Leaves the last chunk and the trailers to Node. */
export function returnFraming(response: ServerResponse): void {
  response.chunkedEncoding = true;
}
