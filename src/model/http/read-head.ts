import type { IncomingHttpHeaders } from 'node:http';
import { isHeaderName, isUnsendable } from './header-syntax.ts';
import { HttpSyntaxError } from './http-syntax-error.ts';

/** The parts of a head that a reader of messages needs. */
export interface FramedHead {
  /**
   * The end of the body: the last chunk, the end of the connection, or a number of bytes. `announcement`: there is no
   * body, and the head that counts follows.
   */
  readonly framing: 'chunked' | 'until-close' | 'announcement' | number;
  /** Whether the connection can be used again after the message. */
  readonly isKept: boolean;
}

/**
 * Function that reads the head which begins at `at`. It returns undefined as long as the head is not whole, and throws
 * `HttpSyntaxError`.
 */
export type HeadReader<Head extends FramedHead> = (
  bytes: Buffer,
  at: number,
) => { readonly head: Head; readonly end: number } | undefined;

/** The head of a response. */
export interface ReadHead extends FramedHead {
  readonly status: number;
  /** Read-only: the next response may have the same object. */
  readonly headers: IncomingHttpHeaders;
  /** The time for which the server keeps the connection, as far as it says so; infinite otherwise. */
  readonly keptMs: number;
}

const MAX_BYTES = 64 * 1024;
const LINE_END = '\r\n';

/**
 * Returns a reader for the heads of one server. It parses a head only if the head differs from the one before: a server
 * whose heads have no running number sends the same head for a second, until its date changes.
 */
export function createHeadReader(): HeadReader<ReadHead> {
  let last: { readonly text: string; readonly head: ReadHead } | undefined;
  return (bytes, at) => {
    const { length = 0 } = last?.text ?? '';
    if (last !== undefined && bytes.toString('latin1', at, at + length) === last.text)
      return { head: last.head, end: at + length };
    const found = wholeHead(bytes, at);
    if (found === undefined) return undefined;
    const { text, lineEnd } = found;
    const end = at + text.length + 2 * lineEnd.length;
    last = { text: bytes.toString('latin1', at, end), head: parsed(text, lineEnd) };
    return { head: last.head, end };
  };
}

interface WholeHead {
  /** The head without its end. */
  readonly text: string;
  readonly lineEnd: string;
}

/**
 * Finds the end of a head; undefined as long as the head is not whole. A server may end lines with a line feed alone. It
 * must do so everywhere, because a lone line feed between other line ends may come from a value that the server repeats.
 */
function wholeHead(bytes: Buffer, at: number): WholeHead | undefined {
  const text = bytes.toString('latin1', at, Math.min(textEnd(bytes, at), at + MAX_BYTES));
  const lineEnd = BARE_STATUS_LINE.test(text) ? '\n' : LINE_END;
  const end = text.indexOf(lineEnd + lineEnd);
  if (end >= 0) return { text: text.slice(0, end), lineEnd };
  // A server that speaks another protocol, or ends lines in another way, may never end this head.
  if (!text.startsWith(BEGINNING.slice(0, text.length))) throw notHttp();
  if ((lineEnd === LINE_END ? BARE_LINE_FEED : CARRIAGE_RETURN).test(text)) throw lineEndError();
  if (text.length === MAX_BYTES) throw new HttpSyntaxError('the head of the answer is longer than 64 kB');
  return undefined;
}

/** Returns where a head ends at the latest. The body that came with the head may be much longer than the head. */
function textEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(HEAD_END, at, 'latin1');
  return end < 0 ? bytes.length : end + HEAD_END.length;
}

const HEAD_END = LINE_END + LINE_END;

const BARE_STATUS_LINE = /^[^\r\n]*\n/;

const CARRIAGE_RETURN = /\r/;
const BARE_LINE_FEED = /(?:^|[^\r])\n/;

function lineEndError(): HttpSyntaxError {
  return new HttpSyntaxError('a line of the head does not end as HTTP wants it');
}

/** Reads a line of a head or of the trailers after a body, without the line's end. Throws `HttpSyntaxError`. */
export function readField(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!isHeaderName(name)) throw new HttpSyntaxError('the head has a line without a name');
  const value = withoutBlanks(line.slice(colon + 1));
  if (isUnsendable(value)) throw new HttpSyntaxError('a header holds a character that HTTP does not allow');
  return { name, value };
}

/**
 * Removes blanks and tabs at both ends. Other white space of Unicode is part of a value. A regular expression would
 * take long for many blanks.
 */
export function withoutBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text[from])) from++;
  while (to > from && isBlank(text[to - 1])) to--;
  return text.slice(from, to);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function parsed(text: string, lineEnd: string): ReadHead {
  const [line = '', ...fields] = unfolded(text, lineEnd).split(lineEnd);
  if (/[\r\n]/.test(line)) throw lineEndError();
  const headers: Headers = {};
  for (const field of fields) {
    const { name, value } = readField(field);
    addField(headers, name, value);
  }
  return headOf(line, headers);
}

/**
 * Returns a head in which each field is one line: a line that begins with a blank belongs to the field before it. After
 * the status line such a line belongs to none.
 */
function unfolded(text: string, lineEnd: string): string {
  if (!text.includes(`${lineEnd} `) && !text.includes(`${lineEnd}\t`)) return text;
  const from = text.indexOf(lineEnd) + lineEnd.length;
  return text.slice(0, from) + text.slice(from).replace(lineEnd === LINE_END ? FOLD : BARE_FOLD, ' ');
}

const FOLD = /\r\n[ \t]+/g;
const BARE_FOLD = /\n[ \t]+/g;

const BEGINNING = 'HTTP/1.';

function notHttp(): HttpSyntaxError {
  return new HttpSyntaxError('the server does not speak HTTP');
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;

function headOf(line: string, headers: IncomingHttpHeaders): ReadHead {
  const [, minor, digits] = STATUS_LINE.exec(line) ?? [];
  if (digits === undefined) throw notHttp();
  const status = Number(digits);
  if (status === 101)
    throw new HttpSyntaxError('the server changes to another protocol (101), which it was not asked to do');
  const options = headers.connection?.toLowerCase() ?? '';
  const framing = framingOf(status, headers);
  const isOffered = minor === '1' ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
  // A server that states the length in two ways may mean either, so later bytes on the connection cannot be trusted.
  const isClear = headers['transfer-encoding'] === undefined || headers['content-length'] === undefined;
  const isKept = isOffered && isClear && framing !== 'until-close';
  return { status, headers, framing, isKept, keptMs: keptMs(headers) };
}

/** Servers announce how long they keep a connection. It is given up a little earlier. */
const KEPT = /(?:^|[,\s])timeout=(\d{1,9})/i;
const MARGIN_MS = 1000;

function keptMs({ 'keep-alive': field }: IncomingHttpHeaders): number {
  const [, seconds] = (typeof field === 'string' && KEPT.exec(field)) || [];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000 - MARGIN_MS;
}

function framingOf(status: number, headers: IncomingHttpHeaders): ReadHead['framing'] {
  const length = headers['content-length'];
  if (length !== undefined && !/^0*\d{1,15}$/.test(length)) {
    throw new HttpSyntaxError('the length of the answer is not a number');
  }
  if (status < 200) return 'announcement';
  if (status === 204 || status === 304) return 0;
  const coding = headers['transfer-encoding']?.toLowerCase();
  if (coding !== undefined && coding !== 'identity') {
    // Proxies name the coding twice but apply it once.
    if (/^chunked(?:[ \t]*,[ \t]*chunked)*$/.test(coding)) return 'chunked';
    throw new HttpSyntaxError(
      `the server transfers its answer as ${JSON.stringify(coding)}, which it was not asked to do`,
    );
  }
  return length === undefined ? 'until-close' : Number(length);
}

type Headers = Record<string, string | string[]>;

/**
 * Adds a field as Node does: cookies become a list, of fields that may occur once the first counts, and all others are
 * joined.
 */
function addField(headers: Headers, name: string, value: string): void {
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (before === undefined) headers[name] = name === 'set-cookie' ? [value] : value;
  else if (Array.isArray(before)) before.push(value);
  else if (name === 'content-length') assertSame(before, value);
  else if (!ONCE.has(name)) headers[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
}

/** Throws if a response states two different lengths, which would end it at two places. */
function assertSame(before: string, value: string): void {
  if (before !== value) throw new HttpSyntaxError('the answer has two lengths');
}

/** Headers of which the first counts. */
export const ONCE: ReadonlySet<string> = new Set([
  'age',
  'authorization',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);
