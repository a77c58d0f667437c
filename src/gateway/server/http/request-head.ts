import { HttpSyntaxError } from '../../../model/http/http-syntax-error.ts';
import { type FramedHead, ONCE, withoutBlanks } from '../../../model/http/read-head.ts';

/** The head of a request. */
export interface RequestHead extends FramedHead {
  readonly method: string;
  readonly target: string;
  /** Names are in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Whether the client speaks HTTP/1.1. An older one knows no chunks. */
  readonly isModern: boolean;
}

const MAX_BYTES = 16 * 1024;
const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';

/**
 * Reads the head which begins at `at`; undefined as long as it is not whole. Throws `HttpSyntaxError`. It is strict: a
 * head that two programs could read in two ways is refused.
 */
export function readRequestHead(
  bytes: Buffer,
  at: number,
): { readonly head: RequestHead; readonly end: number } | undefined {
  const end = bytes.indexOf(HEAD_END, at, 'latin1');
  if ((end < 0 ? bytes.length : end) - at > MAX_BYTES) {
    throw new HttpSyntaxError(`the head of the request is longer than ${MAX_BYTES} bytes`, 431);
  }
  if (end >= 0)
    return { head: parsed(bytes.toString('latin1', at, end + LINE_END.length)), end: end + HEAD_END.length };
  // A client that speaks another protocol, such as TLS, may never end this head.
  if (!isCapital(bytes[at] ?? 0)) throw notHttp();
  return undefined;
}

function isCapital(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

function notHttp(): HttpSyntaxError {
  return new HttpSyntaxError('it does not begin with a method, a path and the version 1.0 or 1.1 of HTTP');
}

const REQUEST_LINE =
  /^(DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT) ((?:\/|\*(?= )|https?:\/\/[\w.:[\]-]+(?:\/|(?= )))[\x21\x22\x24-\x7e]*) HTTP\/1\.([01])$/;

/** Reads a head that ends with a line break. */
function parsed(text: string): RequestHead {
  const lineEnd = text.indexOf(LINE_END);
  const [, method, target, minor] = REQUEST_LINE.exec(text.slice(0, lineEnd)) ?? [];
  if (method === undefined || target === undefined) throw notHttp();
  const isModern = minor === '1';
  const headers = headersOf(text.slice(lineEnd + LINE_END.length));
  if (isModern && !headers.has('host')) throw new HttpSyntaxError('it names no host');
  if ((headers.get('expect')?.toLowerCase() ?? CONTINUE) !== CONTINUE) {
    throw new HttpSyntaxError(`it expects something other than ${CONTINUE}`, 417);
  }
  const framing = framingOf(headers, isModern);
  return { method, target, headers, isModern, framing, isKept: isKept(headers.get('connection'), isModern) };
}

const CONTINUE = '100-continue';

/** Lines with a name and a value each. One look at all of them is faster than one at each. */
const FIELDS = /^(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/;

function headersOf(lines: string): ReadonlyMap<string, string> {
  if (!FIELDS.test(lines)) throw new HttpSyntaxError('a line of its head is no header');
  const headers = new Map<string, string>();
  for (let at = 0; at < lines.length; ) {
    const colon = lines.indexOf(':', at);
    const end = lines.indexOf(LINE_END, colon);
    addHeader(headers, lines.slice(at, colon).toLowerCase(), withoutBlanks(lines.slice(colon + 1, end)));
    at = end + LINE_END.length;
  }
  return headers;
}

/** Headers of which a second one could make a program see another request. */
const SINGLE: ReadonlySet<string> = new Set(['content-length', 'host', 'transfer-encoding']);

function addHeader(headers: Map<string, string>, name: string, value: string): void {
  const before = headers.get(name);
  if (before === undefined) headers.set(name, value);
  else if (SINGLE.has(name)) throw new HttpSyntaxError(`it has two headers ${name}`);
  else if (!ONCE.has(name)) headers.set(name, `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
}

function framingOf(headers: ReadonlyMap<string, string>, isModern: boolean): 'chunked' | number {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (coding === undefined) return length === undefined ? 0 : lengthOf(length);
  if (length !== undefined) throw new HttpSyntaxError('it states its length in two ways');
  if (!isModern || coding.toLowerCase() !== 'chunked') {
    throw new HttpSyntaxError('it is transferred in a way other than chunked', 501);
  }
  return 'chunked';
}

function lengthOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new HttpSyntaxError('its length is not a number');
  return Number(text);
}

function isKept(connection: string | undefined, isModern: boolean): boolean {
  if (connection === undefined) return isModern;
  const options = connection.toLowerCase();
  return isModern ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
}
