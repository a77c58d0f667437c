import { HttpSyntaxError } from './http-syntax-error.ts';
import { type ReadHead, readHead } from './read-head.ts';

/** What a response says, in the order in which it says it. */
export interface ResponseParts {
  head(head: ReadHead): void;
  /** A piece of the body. The bytes are the reader's: whoever keeps them keeps all that came with them. */
  body(bytes: Uint8Array): void;
  /** Everything was said. The next response may follow on the same connection if it `isKept`. */
  end(isKept: boolean): void;
}

type State = 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'over';

/** Of the line before a chunk, and of each that follows the last one. */
const MAX_LINE_BYTES = 16 * 1024;
const CR = 13;
const LF = 10;

/** Reads the responses on one HTTP/1.1 connection, one after the other, from bytes that are cut anywhere. */
export class ResponseReader {
  readonly parts: ResponseParts;
  state: State = 'over';
  /** Of a line or a head that is not whole yet. */
  held: Buffer | undefined;
  /** What is to come of the body or of the chunk. */
  left = 0;
  isKept = false;

  constructor(parts: ResponseParts) {
    this.parts = parts;
  }

  /** The next response is expected. */
  next(): void {
    this.state = 'head';
  }

  /** Throws `HttpSyntaxError` for what no response may say, also for bytes after its end. */
  push(bytes: Buffer): void {
    const all = this.held === undefined ? bytes : Buffer.concat([this.held, bytes]);
    this.held = undefined;
    let at = 0;
    while (at < all.length) {
      if (this.state === 'over') throw new HttpSyntaxError('the server says more than it was asked');
      const next = STEPS[this.state](this, all, at);
      if (next < 0) {
        this.held = all.subarray(at);
        return;
      }
      at = next;
    }
  }

  /** The connection has ended. Throws `HttpSyntaxError` when the response had not. */
  close(): void {
    if (this.state === 'until-close') over(this);
    else if (this.state !== 'over') throw new HttpSyntaxError('the connection was closed');
  }
}

/** Gives where the next step begins; -1 when what it needs is not there yet. */
type Step = (reader: ResponseReader, bytes: Buffer, at: number) => number;

const STEPS: Readonly<Record<Exclude<State, 'over'>, Step>> = {
  head(reader, bytes, at) {
    const read = readHead(bytes, at);
    if (read === undefined) return -1;
    begin(reader, read.head);
    return read.end;
  },
  length(reader, bytes, at) {
    const end = takeBody(reader, bytes, at);
    if (reader.left === 0) over(reader);
    return end;
  },
  'until-close'({ parts }, bytes, at) {
    parts.body(bytes.subarray(at));
    return bytes.length;
  },
  'chunk-size'(reader, bytes, at) {
    const end = bytes.indexOf(LF, at);
    if (end < 0) return incomplete(bytes, at);
    reader.left = chunkSize(bytes, at, end);
    reader.state = reader.left === 0 ? 'trailers' : 'chunk';
    return end + 1;
  },
  chunk(reader, bytes, at) {
    const end = takeBody(reader, bytes, at);
    if (reader.left === 0) reader.state = 'chunk-end';
    return end;
  },
  'chunk-end'(reader, bytes, at) {
    if (at + 1 >= bytes.length) return -1;
    if (bytes[at] !== CR || bytes[at + 1] !== LF) throw new HttpSyntaxError('a chunk is longer than it says');
    reader.state = 'chunk-size';
    return at + 2;
  },
  trailers(reader, bytes, at) {
    const end = bytes.indexOf(LF, at);
    if (end < 0) return incomplete(bytes, at);
    if (end === at || (end === at + 1 && bytes[at] === CR)) over(reader);
    return end + 1;
  },
};

/** Heads that only announce the one that counts are passed over. */
function begin(reader: ResponseReader, head: ReadHead): void {
  if (head.status < 200) return;
  const { framing } = head;
  reader.isKept = head.isKept;
  reader.parts.head(head);
  if (framing === 'chunked') reader.state = 'chunk-size';
  else if (framing === 'until-close') reader.state = 'until-close';
  else if (framing === 0) over(reader);
  else {
    reader.left = framing;
    reader.state = 'length';
  }
}

function over(reader: ResponseReader): void {
  reader.state = 'over';
  reader.parts.end(reader.isKept);
}

function takeBody(reader: ResponseReader, bytes: Buffer, at: number): number {
  const end = Math.min(bytes.length, at + reader.left);
  reader.left -= end - at;
  reader.parts.body(bytes.subarray(at, end));
  return end;
}

function incomplete(bytes: Buffer, at: number): number {
  if (bytes.length - at > MAX_LINE_BYTES) throw new HttpSyntaxError('a line between chunks is too long');
  return -1;
}

/** Thirteen digits are more than any file has bytes, and still a number that is exact. */
const MAX_DIGITS = 13;

/** There is one for nearly every piece of an answer: it is read without making a text of it. */
function chunkSize(bytes: Buffer, from: number, to: number): number {
  let size = 0;
  let at = from;
  for (; at < to; at++) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit < 0) break;
    size = size * 16 + digit;
  }
  const digits = at - from;
  if (digits === 0 || digits > MAX_DIGITS || !isSizeEnd(bytes, at, to)) {
    throw new HttpSyntaxError('the length of a chunk is no number');
  }
  return size;
}

/** The end of the line, or what a server says of a chunk besides: nobody needs that. */
function isSizeEnd(bytes: Buffer, at: number, to: number): boolean {
  const next = bytes[at] ?? LF;
  return next === LF || (next === CR && at + 1 === to) || next === 0x3b || next === 0x20 || next === 0x09;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
