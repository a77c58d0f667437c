import { isUnsendable } from './header-syntax.ts';
import { HttpSyntaxError } from './http-syntax-error.ts';
import { type FramedHead, type HeadReader, readField } from './read-head.ts';

/** Receiver of the parts of a request or a response, in their order. */
export interface MessageParts<Head extends FramedHead> {
  head(head: Head): void;
  /**
   * Called with a piece of the body. The bytes are a view of the reader's buffer: keeping them keeps the whole buffer
   * alive.
   */
  body(bytes: Buffer): void;
  /** Called at the end of the message. If `isKept`, the next message may follow on the same connection. */
  end(isKept: boolean): void;
}

type State = 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'over';

/** Limit for the line before a chunk, and for each line after the last chunk. */
const MAX_LINE_BYTES = 16 * 1024;
const CR = 13;
const LF = 10;

/** Reads the messages on one HTTP/1.1 connection, one after the other, from bytes that are cut anywhere. */
export class HttpMessageReader<Head extends FramedHead> {
  readonly parts: MessageParts<Head>;
  readonly readHead: HeadReader<Head>;
  state: State = 'over';
  /** Bytes of a line or a head that is not whole yet. */
  held: Buffer | undefined;
  /** Number of bytes that are still missing from the body or the chunk. */
  left = 0;
  isKept = false;
  /** Whether chunks of one read are passed on as one piece. Their bytes are then moved together within the buffer. */
  isJoining = true;

  constructor(parts: MessageParts<Head>, readHead: HeadReader<Head>) {
    this.parts = parts;
    this.readHead = readHead;
  }

  /** Prepares for the next message. */
  next(): void {
    this.state = 'head';
  }

  /**
   * Returns the bytes that follow the end of the message; undefined when there are none. Throws `HttpSyntaxError` for
   * bytes that are not a valid message.
   */
  push(bytes: Buffer): Buffer | undefined {
    const all = this.held === undefined ? bytes : Buffer.concat([this.held, bytes]);
    this.held = undefined;
    let at = 0;
    while (at < all.length) {
      if (this.state === 'over') return all.subarray(at);
      const next = STEPS[this.state](this, all, at);
      if (next < 0) {
        this.held = all.subarray(at);
        return undefined;
      }
      at = next;
    }
    return undefined;
  }

  /** Called when the connection has ended. Throws `HttpSyntaxError` when the message had not ended. */
  close(): void {
    if (this.state === 'until-close') over(this);
    else if (this.state !== 'over') throw new HttpSyntaxError('the connection was closed');
  }
}

/** Function that reads one part. It returns where the next part begins, or -1 when more bytes are needed. */
type Step = (reader: HttpMessageReader<FramedHead>, bytes: Buffer, at: number) => number;

const STEPS: Readonly<Record<Exclude<State, 'over'>, Step>> = {
  head(reader, bytes, at) {
    // Some programs send an extra line break after a body.
    if (bytes[at] === CR || bytes[at] === LF) return at + 1;
    const read = reader.readHead(bytes, at);
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
    const joined = reader.isJoining ? joinChunks(reader, bytes, at) : at;
    if (joined > at) return joined;
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
    assertCarriageReturn(bytes, end - 1, at);
    if (end === at + 1) over(reader);
    else readField(bytes.toString('latin1', at, end - 1));
    return end + 1;
  },
};

function begin(reader: HttpMessageReader<FramedHead>, head: FramedHead): void {
  const { framing } = head;
  if (framing === 'announcement') return;
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

function over(reader: HttpMessageReader<FramedHead>): void {
  reader.state = 'over';
  reader.parts.end(reader.isKept);
}

function takeBody(reader: HttpMessageReader<FramedHead>, bytes: Buffer, at: number): number {
  const end = Math.min(bytes.length, at + reader.left);
  reader.left -= end - at;
  reader.parts.body(bytes.subarray(at, end));
  return end;
}

/**
 * Reads as one piece all chunks from here on that are whole and have nothing but their length in the line before them.
 * Returns where the next part begins. Nearly all chunks are like this, and moving them costs less than a piece for each.
 */
function joinChunks({ parts }: HttpMessageReader<FramedHead>, bytes: Buffer, from: number): number {
  let at = from;
  let first = -1;
  let last = -1;
  for (;;) {
    let start = at;
    let size = 0;
    for (let digit = hexDigit(bytes[start] ?? 0); digit >= 0 && size < MAX_JOINED; start++) {
      size = size * 16 + digit;
      digit = hexDigit(bytes[start + 1] ?? 0);
    }
    const end = start + 2 + size;
    if (size === 0 || size >= MAX_JOINED || !isLineEnd(bytes, start) || !isLineEnd(bytes, end)) break;
    if (first < 0) {
      first = start + 2;
      last = end;
    } else {
      bytes.copyWithin(last, start + 2, end);
      last += size;
    }
    at = end + 2;
  }
  if (first >= 0) parts.body(bytes.subarray(first, last));
  return at;
}

/** Chunks of this size and above are not joined: such a chunk fills a read alone. */
const MAX_JOINED = 64 * 1024;

function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === CR && bytes[at + 1] === LF;
}

function incomplete(bytes: Buffer, at: number): number {
  if (bytes.length - at > MAX_LINE_BYTES) throw new HttpSyntaxError('a line between chunks is too long');
  return -1;
}

/** Throws unless the line that begins at `from` ends with a carriage return and a line feed. */
function assertCarriageReturn(bytes: Buffer, at: number, from: number): void {
  if (at < from || bytes[at] !== CR) throw new HttpSyntaxError('a line between chunks does not end as HTTP wants it');
}

/** Larger than any file, and still exact as a number. */
const MAX_SIZE = 16 ** 13;

/**
 * Reads the length in the line before a chunk. Nearly every piece of an answer has such a line, so it is not converted
 * to a text.
 */
function chunkSize(bytes: Buffer, from: number, lineFeed: number): number {
  assertCarriageReturn(bytes, lineFeed - 1, from);
  const to = lineFeed - 1;
  let size = 0;
  let at = from;
  for (; at < to; at++) {
    const digit = hexDigit(bytes[at] ?? 0);
    if (digit < 0) break;
    size = size * 16 + digit;
  }
  if (at === from || size >= MAX_SIZE || !isExtension(bytes, at, to)) {
    throw new HttpSyntaxError('the length of a chunk is not a number');
  }
  return size;
}

const SEMICOLON = 0x3b;
const BLANK = 0x20;
const TAB = 0x09;

/** Reports whether bytes are empty, blanks, or an extension of a chunk. Extensions are ignored. */
function isExtension(bytes: Buffer, from: number, to: number): boolean {
  let at = from;
  while (at < to && (bytes[at] === BLANK || bytes[at] === TAB)) at++;
  return at === to || (bytes[at] === SEMICOLON && !isUnsendable(bytes.toString('latin1', at, to)));
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
