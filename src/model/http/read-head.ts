import type { IncomingHttpHeaders } from 'node:http';
import { isHeaderName } from './header-syntax.ts';
import { HttpSyntaxError } from './http-syntax-error.ts';

/** The head of a response. */
export interface ReadHead {
  readonly status: number;
  /** Not to be changed: the next head may be the same. */
  readonly headers: IncomingHttpHeaders;
  /** How the end of the body is told: in its chunks, by the end of the connection, or after so many bytes. */
  readonly framing: 'chunked' | 'until-close' | number;
  /** Whether the connection goes on after it. */
  readonly isKept: boolean;
}

const MAX_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const LINE_END = '\r\n';

/** Undefined as long as it is not whole. Throws `HttpSyntaxError`. */
export function readHead(bytes: Buffer, at: number): { readonly head: ReadHead; readonly end: number } | undefined {
  const text = bytes.toString('latin1', at, Math.min(bytes.length, at + MAX_BYTES));
  const end = text.indexOf(HEAD_END);
  if (end < 0) {
    // Whoever speaks another protocol is not waited for.
    if (!text.startsWith(BEGINNING.slice(0, text.length))) throw noHttp();
    if (text.length === MAX_BYTES) throw new HttpSyntaxError('the head of the answer is too long');
    return undefined;
  }
  const whole = text.slice(0, end);
  // Servers that number nothing say the same for a second, until their date changes.
  if (last?.text !== whole) last = { text: copyOf(whole), head: parsed(whole) };
  return { head: last.head, end: at + end + HEAD_END.length };
}

let last: { readonly text: string; readonly head: ReadHead } | undefined;

/** A piece of a text keeps all of it; a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}

function parsed(text: string): ReadHead {
  const [line = '', ...fields] = text.split(LINE_END);
  const headers: Headers = {};
  for (const field of fields) {
    const colon = field.indexOf(':');
    const name = field.slice(0, Math.max(colon, 0)).toLowerCase();
    if (!isHeaderName(name)) throw new HttpSyntaxError('the head of the answer has a line without a name');
    addField(headers, name, field.slice(colon + 1).trim());
  }
  return headOf(line, headers);
}

const BEGINNING = 'HTTP/1.';

function noHttp(): HttpSyntaxError {
  return new HttpSyntaxError('the server does not speak HTTP');
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;

function headOf(line: string, headers: IncomingHttpHeaders): ReadHead {
  const [, minor, digits] = STATUS_LINE.exec(line) ?? [];
  if (digits === undefined) throw noHttp();
  const status = Number(digits);
  if (status === 101) throw new HttpSyntaxError('the server changes to another protocol');
  const options = headers.connection?.toLowerCase() ?? '';
  const framing = framingOf(status, headers);
  const isOffered = minor === '1' ? !/\bclose\b/.test(options) : /\bkeep-alive\b/.test(options);
  // A server that tells the length in two ways may mean either; what follows cannot be trusted.
  const isClear = headers['transfer-encoding'] === undefined || headers['content-length'] === undefined;
  return { status, headers, framing, isKept: isOffered && isClear && framing !== 'until-close' };
}

function framingOf(status: number, headers: IncomingHttpHeaders): ReadHead['framing'] {
  if (status < 200 || status === 204 || status === 304) return 0;
  const coding = headers['transfer-encoding']?.toLowerCase();
  if (coding !== undefined && coding !== 'identity') {
    if (coding === 'chunked') return 'chunked';
    throw new HttpSyntaxError(`the server transfers its answer as ${JSON.stringify(coding)}`);
  }
  const length = headers['content-length'];
  if (length === undefined) return 'until-close';
  if (!/^\d{1,15}$/.test(length)) throw new HttpSyntaxError('the length of the answer is no number');
  return Number(length);
}

type Headers = Record<string, string | string[]>;

/** As Node has them: cookies in a list, of what may stand there once the first, all others together. */
function addField(headers: Headers, name: string, value: string): void {
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (before === undefined) headers[name] = name === 'set-cookie' ? [value] : value;
  else if (Array.isArray(before)) before.push(value);
  else if (name === 'content-length') assertSame(before, value);
  else if (!ONCE.has(name)) headers[name] = `${before}, ${value}`;
}

/** Two lengths would end the answer at two places. */
function assertSame(before: string, value: string): void {
  if (before !== value) throw new HttpSyntaxError('the answer has two lengths');
}

const ONCE: ReadonlySet<string> = new Set([
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'location',
  'retry-after',
  'server',
]);
